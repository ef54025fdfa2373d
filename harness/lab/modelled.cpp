// Reads and writes modelled.toml.
#include "harness/lab/modelled.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/lab/toml_list.h"

namespace lanewise {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModelledHead =
    "# Made by `lanewise bench`: nanoseconds of one call at the ladder's case in the virtual GPU's time model;\n# "
    "at_scale: per part of a call 256 times as large; scored: those that count for *fast*. Goals are those of "
    "lab.toml\n# that a step meets.\n";

ModelledTask read_modelled_task(const TomlTable& table) {
  table.allow_only({"name", "case", "profile", "compiler", "scored_case", "step"});
  ModelledTask task;
  task.name = table.text("name");
  task.case_name = table.text("case");
  task.profile = table.text("profile");
  task.compiler = table.text("compiler");
  task.scored_case = table.text_or("scored_case", "");
  for (const TomlTable& each : table.tables("step")) {
    each.allow_only({"step", "nanoseconds", "at_scale", "bound_by", "scored", "goals"});
    ModelledStep& step = task.steps.emplace_back();
    step.step = each.text("step");
    step.nanoseconds = each.number("nanoseconds");
    if (!(step.nanoseconds > 0)) each.fail("nanoseconds", "the key 'nanoseconds' must be greater than 0");
    step.at_scale = each.number("at_scale");
    step.bound_by = each.text_or("bound_by", "");
    step.scored = each.number_or("scored", 0);
    step.goals = each.texts_or_none("goals");
  }
  return task;
}

}  // namespace

std::string goal_name(const GoalFile& goal) { return fmt::format("{}, {}", goal.counter, goal.case_name); }

Expected<std::vector<ModelledTask>> read_modelled(const fs::path& file) {
  return read_toml_list(file, "task", read_modelled_task);
}

std::string modelled_text(const std::vector<ModelledTask>& tasks) {
  std::string text = kModelledHead;
  for (const ModelledTask& task : tasks) {
    text += fmt::format("\n[[task]]\nname = {}\ncase = {}\nprofile = {}\ncompiler = {}\n", toml_quoted(task.name),
                        toml_quoted(task.case_name), toml_quoted(task.profile), toml_quoted(task.compiler));
    if (!task.scored_case.empty()) text += fmt::format("scored_case = {}\n", toml_quoted(task.scored_case));
    for (const ModelledStep& step : task.steps) {
      text += fmt::format("\n[[task.step]]\nstep = {}\nnanoseconds = {:.0f}\nat_scale = {:.0f}\n",
                          toml_quoted(step.step), step.nanoseconds, step.at_scale);
      if (!step.bound_by.empty()) text += fmt::format("bound_by = {}\n", toml_quoted(step.bound_by));
      if (step.scored > 0) text += fmt::format("scored = {:.0f}\n", step.scored);
      std::vector<std::string> goals;
      for (const std::string& goal : step.goals) goals.push_back(toml_quoted(goal));
      if (!goals.empty()) text += fmt::format("goals = [{}]\n", fmt::join(goals, ", "));
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
