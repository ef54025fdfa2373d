// Ranks what a verdict says by what helps most.
#include "harness/report/next_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "harness/report/case_groups.h"
#include "harness/report/finding_groups.h"

namespace lanewise {
namespace {

// "scan.cu(31): error: expected a ;" as nvcc writes it, "scan.cu:31:5: error: ..." as clang does.
NextStep first_error(const std::string& message) {
  NextStep step;
  step.is_mistake = true;
  std::istringstream lines(message);
  std::string first, line;
  while (std::getline(lines, line) && line.find("error") == std::string::npos)
    if (first.empty()) first = line;
  step.problem = line.empty() ? first : line;
  if (const std::size_t last = message.rfind("\n\n"); last != std::string::npos)  // what the runner adds to the words
    if (message.find("error", last) == std::string::npos) step.advice = message.substr(last + 2);
  const std::size_t end = step.problem.find_first_of("(:");
  const std::size_t words = step.problem.find(": ");
  if (end == std::string::npos || words == std::string::npos) return step;
  const int number = std::atoi(step.problem.c_str() + end + 1);
  if (number <= 0) return step;
  step.place = {step.problem.substr(0, end), number};
  const std::size_t slash = step.place.file.rfind('/');
  if (slash != std::string::npos) step.place.file.erase(0, slash + 1);
  step.problem.erase(0, words + 2);
  return step;
}

// Unordered writes of one value, for instance, leave the value as it is.
bool bears_on_values(const Finding& finding) {
  return finding.kind != "leak" && finding.kind != "not all checked" &&
         finding.kind.rfind("write of the same value", 0) != 0;
}

NextStep step_of(const Finding& finding) { return {finding.place, finding.sentence, finding.advice, true}; }

// A misconception knows no lines; what was found in a case that it explains is the same mistake.
std::optional<NextStep> named_misconception(const TaskVerdict& task) {
  const auto is_named = [](const CaseVerdict& verdict) { return !verdict.misconception.empty(); };
  const auto named = std::find_if(task.cases.begin(), task.cases.end(), is_named);
  if (named == task.cases.end()) return std::nullopt;
  NextStep step;
  step.is_mistake = true;
  step.advice = named->hint;
  const auto seen = std::find_if(task.findings.begin(), task.findings.end(), [&](const Finding& finding) {
    const auto is_its_case = [&](const CaseVerdict& verdict) {
      return is_named(verdict) && verdict.name == finding.case_name;
    };
    return bears_on_values(finding) && finding.place.line > 0 &&
           std::any_of(task.cases.begin(), task.cases.end(), is_its_case);
  });
  if (seen != task.findings.end()) step.place = seen->place;
  return step;
}

std::optional<NextStep> mistake(const TaskVerdict& task) {
  if (auto step = named_misconception(task)) return step;
  if (const auto found = std::find_if(task.findings.begin(), task.findings.end(), explains_others);
      found != task.findings.end())
    return step_of(*found);
  const auto first_of = [&task](bool of_values) {
    return std::find_if(task.findings.begin(), task.findings.end(),
                        [=](const Finding& finding) { return bears_on_values(finding) == of_values; });
  };
  if (const auto found = first_of(true); found != task.findings.end()) return step_of(*found);
  if (const std::vector<CaseGroup> groups = group_failures(task.cases); !groups.empty()) {
    const CaseVerdict& verdict = *groups.front().shown;
    return NextStep{verdict.place, fmt::format("{}: {}", case_label(verdict), verdict.sentence), verdict.hint, true};
  }
  if (const auto found = first_of(false); found != task.findings.end()) return step_of(*found);
  return std::nullopt;
}

std::optional<NextStep> improvement(const TaskVerdict& task) {
  const auto is_missed = [](const GoalVerdict& goal) { return goal.is_measured && !goal.is_met && !goal.is_left_out; };
  if (const auto goal = std::find_if(task.goals.begin(), task.goals.end(), is_missed); goal != task.goals.end())
    return NextStep{goal->place, goal->sentence, goal->hint};
  for (const PartScore& part : task.parts) {
    if (!part.scored || part.points >= part.max_points) continue;
    if (part.name == "fast" && task.speed.is_known && !task.speed.bound_by.empty())
      return NextStep{task.speed.bound_place, fmt::format("the kernel is bound by {} here", task.speed.bound_by), ""};
    return NextStep{{}, fmt::format("{}: {}", part.name, part.evidence), ""};
  }
  return std::nullopt;
}

}  // namespace

std::optional<NextStep> next_step(const TaskVerdict& task) {
  if (task.state == TaskState::kNotStarted) return std::nullopt;
  if (task.state == TaskState::kCompileError) return first_error(task.message);
  if (task.state != TaskState::kGraded) return NextStep{{}, task.message.substr(0, task.message.find('\n')), "", true};
  if (auto step = mistake(task)) return step;
  return improvement(task);
}

}  // namespace lanewise
