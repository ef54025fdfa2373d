// Reads and writes modelled.toml.
#include "harness/lab/modelled.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/lab/toml_reader.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kHead =
    "# Made by `lanewise bench`: nanoseconds of one call with the case of the ladder, by the virtual GPU's model of "
    "time.\n";

ModelledTask read_task(const TomlTable& table) {
  table.allow_only({"name", "case", "profile", "compiler", "step"});
  ModelledTask task{table.text("name"), table.text("case"), table.text("profile"), table.text("compiler"), {}};
  for (const TomlTable& each : table.tables("step")) {
    each.allow_only({"step", "nanoseconds", "bound_by"});
    ModelledStep& step = task.steps.emplace_back();
    step.step = each.text("step");
    step.nanoseconds = each.number("nanoseconds");
    if (!(step.nanoseconds > 0)) each.fail("nanoseconds", "the key 'nanoseconds' must be greater than 0");
    step.bound_by = each.text_or("bound_by", "");
  }
  return task;
}

}  // namespace

Expected<std::vector<ModelledTask>> read_modelled(const fs::path& file) {
  std::vector<ModelledTask> tasks;
  std::error_code error;
  if (!fs::exists(file, error)) return tasks;
  try {
    const toml::table parsed = parse_toml_file(file);
    const TomlTable root(parsed, file.string());
    root.allow_only({"task"});
    for (const TomlTable& table : root.tables("task")) tasks.push_back(read_task(table));
  } catch (const TomlMistake& mistake) {
    return Failure{mistake.what()};
  }
  return tasks;
}

std::string modelled_text(const std::vector<ModelledTask>& tasks) {
  std::string text = kHead;
  for (const ModelledTask& task : tasks) {
    text += fmt::format("\n[[task]]\nname = {}\ncase = {}\nprofile = {}\ncompiler = {}\n", toml_quoted(task.name),
                        toml_quoted(task.case_name), toml_quoted(task.profile), toml_quoted(task.compiler));
    for (const ModelledStep& step : task.steps) {
      text +=
          fmt::format("\n[[task.step]]\nstep = {}\nnanoseconds = {:.0f}\n", toml_quoted(step.step), step.nanoseconds);
      if (!step.bound_by.empty()) text += fmt::format("bound_by = {}\n", toml_quoted(step.bound_by));
    }
  }
  return text;
}

const ModelledTask* find_modelled(const std::vector<ModelledTask>& tasks, const std::string& name) {
  for (const ModelledTask& task : tasks)
    if (task.name == name) return &task;
  return nullptr;
}

std::vector<ModelledTask> with_modelled(std::vector<ModelledTask> tasks, const ModelledTask& task) {
  const auto same =
      std::find_if(tasks.begin(), tasks.end(), [&task](const ModelledTask& each) { return each.name == task.name; });
  if (same != tasks.end())
    *same = task;
  else
    tasks.push_back(task);
  return tasks;
}

}  // namespace lanewise
