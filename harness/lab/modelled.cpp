// Reads and writes modelled.toml.
#include "harness/lab/modelled.h"

#include <fmt/format.h>

#include "harness/lab/toml_list.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelledHead =
    "# Made by `lanewise bench`: nanoseconds of one call with the case of the ladder, by the virtual GPU's model of "
    "time.\n";

ModelledTask read_modelled_task(const TomlTable& table) {
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
  return read_toml_list(file, "task", read_modelled_task);
}

std::string modelled_text(const std::vector<ModelledTask>& tasks) {
  std::string text = kModelledHead;
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
  const auto is_same = [&task](const ModelledTask& each) { return each.name == task.name; };
  return with_entry(std::move(tasks), task, is_same);
}

}  // namespace lanewise
