// Compares what is wrong, as sets of names.
#include "harness/report/changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace lanewise {
namespace {

constexpr std::size_t kNamed = 2;

std::string name_of(const Finding& finding) {
  return finding.array.empty() ? fmt::format("{} ({})", finding.tool, finding.kind)
                               : fmt::format("{} on {}", finding.tool, finding.array);
}

bool was_run(const CaseVerdict& verdict) {
  return verdict.outcome != CaseOutcome::kNotRun && verdict.outcome != CaseOutcome::kLeftOut;
}

// In the order of the verdict, each once.
std::vector<std::string> problems_of(const TaskVerdict& task) {
  std::vector<std::string> problems;
  const auto add = [&problems](std::string name) {
    if (std::find(problems.begin(), problems.end(), name) == problems.end()) problems.push_back(std::move(name));
  };
  for (const CaseVerdict& verdict : task.cases)
    if (was_run(verdict) && verdict.outcome != CaseOutcome::kRight) add(verdict.name);
  for (const Finding& finding : task.findings) add(name_of(finding));
  return problems;
}

// What kept a task from being run.
std::vector<std::string> obstacle(const TaskVerdict& task) {
  if (task.state == TaskState::kCompileError) return {"the compile error"};
  if (task.state == TaskState::kRefused) return {"what the audit refuses"};
  if (task.state == TaskState::kMissing) return {"the missing function"};
  return {};
}

std::vector<std::string> without(const std::vector<std::string>& problems, const std::vector<std::string>& others) {
  std::vector<std::string> rest;
  std::copy_if(problems.begin(), problems.end(), std::back_inserter(rest), [&others](const std::string& name) {
    return std::find(others.begin(), others.end(), name) == others.end();
  });
  return rest;
}

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  std::string text = names[0];
  for (std::size_t i = 1; i < std::min(names.size(), kNamed); ++i) text += ", " + names[i];
  if (names.size() > kNamed) text += fmt::format(" and {} more", names.size() - kNamed);
  return text;
}

}  // namespace

Changes changes_since(const TaskVerdict& before, const TaskVerdict& now) {
  // What was not run is neither fixed nor new.
  if (before.state != now.state) return {obstacle(before), obstacle(now), 0};
  std::vector<std::string> old = problems_of(before);
  for (const CaseVerdict& verdict : now.cases)
    if (!was_run(verdict)) old.erase(std::remove(old.begin(), old.end(), verdict.name), old.end());
  const std::vector<std::string> current = problems_of(now);
  Changes changes{without(old, current), without(current, old), 0};
  changes.still = current.size() - changes.added.size();
  return changes;
}

std::string changes_text(const Changes& changes) {
  if (changes.fixed.empty() && changes.added.empty() && changes.still == 0) return "";
  std::string text = fmt::format("fixed: {}; new: {}", listed(changes.fixed), listed(changes.added));
  return changes.still == 0 ? text : text + fmt::format("; {} still there", changes.still);
}

}  // namespace lanewise
