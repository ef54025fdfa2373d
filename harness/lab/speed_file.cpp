// Reads and writes speed.toml.
#include "harness/lab/speed_file.h"

#include <fmt/format.h>

#include <algorithm>

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
  table.allow_only(
      {"name", "case", "baseline", "reference", "baseline_ns", "reference_ns", "lasting_ns", "lasting_kernel_ns"});
  return {table.text("name"),
          table.text("case"),
          table.text("baseline"),
          table.text("reference"),
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
    root.allow_only({"profile", "compiler", "task"});
    marks.profile = root.text("profile");
    marks.compiler = root.text("compiler");
    for (const TomlTable& task : root.tables("task")) marks.tasks.push_back(read_marks(task));
    return marks;
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
}

std::string speed_marks_text(const SpeedMarksFile& file) {
  std::string text = fmt::format("{}\nprofile = {}\ncompiler = {}\n", kSpeedHead, toml_quoted(file.profile),
                                 toml_quoted(file.compiler));
  for (const SpeedMarks& each : file.tasks)
    text += fmt::format(
        "\n[[task]]\nname = {}\ncase = {}\nbaseline = {}\nreference = {}\nbaseline_ns = {:.0f}\nreference_ns = "
        "{:.0f}\nlasting_ns = {:.0f}\nlasting_kernel_ns = {:.0f}\n",
        toml_quoted(each.task), toml_quoted(each.case_name), toml_quoted(each.baseline), toml_quoted(each.reference),
        each.baseline_ns, each.reference_ns, each.lasting_ns, each.lasting_kernel_ns);
  return text;
}

const SpeedMarks* find_marks(const SpeedMarksFile& marks, const LabFile& lab, const TaskFile& task) {
  if (marks.profile != lab.profile) return nullptr;
  const auto is_meant = [&task](const SpeedMarks& each) {
    return each.task == task.name && each.case_name == task.speed.modelled_case && each.baseline == task.baseline &&
           each.reference == task.reference;
  };
  const auto found = std::find_if(marks.tasks.begin(), marks.tasks.end(), is_meant);
  return found != marks.tasks.end() ? &*found : nullptr;
}

}  // namespace lanewise
