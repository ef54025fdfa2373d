// Reads and writes speed.toml.
#include "harness/lab/speed_file.h"

#include <fmt/format.h>

#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpeedHead =
    "# Made by `lanewise bench`: nanoseconds of a whole call of the naive step and of the reference in the virtual\n"
    "# GPU's time model. Without a GPU, the points for *fast* depend on where a submission lies between the two.\n";

double positive(const TomlTable& table, const char* key) {
  const double value = table.number(key);
  if (!(value > 0)) table.fail(key, fmt::format("the key '{}' must be greater than 0", key));
  return value;
}

SpeedMarks read_marks(const TomlTable& table) {
  table.allow_only({"name", "case", "baseline", "reference", "compiler", "baseline_ns", "reference_ns", "lasting_ns",
                    "lasting_kernel_ns"});
  return {table.text("name"),
          table.text("case"),
          table.text("baseline"),
          table.text("reference"),
          table.text("compiler"),
          positive(table, "baseline_ns"),
          positive(table, "reference_ns"),
          table.number_or("lasting_ns", 0),
          table.number_or("lasting_kernel_ns", 0)};
}

}  // namespace

Expected<SpeedMarksFile> read_speed_marks(const fs::path& folder) {
  SpeedMarksFile marks;
  const fs::path file = folder / "speed.toml";
  std::error_code error;
  if (!fs::exists(file, error)) return marks;
  try {
    const toml::table parsed = parse_toml_file(file);
    const TomlTable root(parsed, file.string());
    root.allow_only({"profile", "task"});
    marks.profile = root.text("profile");
    for (const TomlTable& task : root.tables("task")) marks.tasks.push_back(read_marks(task));
    return marks;
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

std::string speed_marks_text(const SpeedMarksFile& file) {
  std::string text = fmt::format("{}\nprofile = {}\n", kSpeedHead, toml_quoted(file.profile));
  for (const SpeedMarks& each : file.tasks)
    text += fmt::format(
        "\n[[task]]\nname = {}\ncase = {}\nbaseline = {}\nreference = {}\ncompiler = {}\nbaseline_ns = "
        "{:.0f}\nreference_ns = {:.0f}\nlasting_ns = {:.0f}\nlasting_kernel_ns = {:.0f}\n",
        toml_quoted(each.task), toml_quoted(each.case_name), toml_quoted(each.baseline), toml_quoted(each.reference),
        toml_quoted(each.compiler), each.baseline_ns, each.reference_ns, each.lasting_ns, each.lasting_kernel_ns);
  return text;
}

std::string toolchain_of(const std::string& compiler) { return compiler.substr(0, compiler.find(' ')); }

const SpeedMarks* find_marks(const SpeedMarksFile& marks, const LabFile& lab, const TaskFile& task,
                             const std::string& toolchain) {
  if (marks.profile != lab.profile) return nullptr;
  const SpeedMarks* found = nullptr;
  for (const SpeedMarks& each : marks.tasks) {
    if (each.task != task.name || each.case_name != task.speed.modelled_case || each.baseline != task.baseline ||
        each.reference != task.reference)
      continue;
    if (toolchain_of(each.compiler) == toolchain) return &each;
    if (found == nullptr) found = &each;
  }
  return found;
}

}  // namespace lanewise
