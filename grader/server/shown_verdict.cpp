// Names and sizes of hidden cases would reveal what is tested; findings in them are shown without their case.
#include "grader/server/shown_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lanewise {
namespace {

void hide_cases(TaskVerdict& task, const std::vector<CaseFile>& secret) {
  std::map<std::string, std::string> shown;  // from the name of a hidden case to the name shown instead
  for (CaseVerdict& each : task.cases) {
    const auto is_it = [&each](const CaseFile& other) { return other.name == each.name; };
    if (std::none_of(secret.begin(), secret.end(), is_it)) continue;
    CaseVerdict hidden;
    hidden.name = fmt::format("hidden case {}", shown.size() + 1);
    hidden.group = each.group;
    hidden.points = each.points;
    hidden.max_points = each.max_points;
    hidden.outcome = each.outcome;
    if (each.outcome != CaseOutcome::kRight) hidden.sentence = "your instructor shows no details of this case";
    shown[each.name] = hidden.name;
    each = std::move(hidden);
  }
  const auto rename = [&shown](std::string& name) {
    if (const auto found = shown.find(name); found != shown.end()) name = found->second;
  };
  for (Finding& finding : task.findings) rename(finding.case_name);
  for (GoalVerdict& goal : task.goals) rename(goal.case_name);
  for (ClassTable::Row& row : task.classes.rows) rename(row.case_name);
  if (shown.count(task.speed.case_name) != 0) task.speed.sizes.clear();
  rename(task.speed.case_name);
  if (!shown.empty()) {  // which may have been printed in a hidden case
    task.output.clear();
    task.output_bytes = 0;
  }
}

}  // namespace

Verdict shown_verdict(Verdict verdict, const ServerTerms& terms, const Secrets& secrets) {
  verdict.seed = 0;
  if (terms.shows_hidden_cases) return verdict;
  for (TaskVerdict& task : verdict.tasks)
    if (const auto found = secrets.cases.find({task.lab, task.task}); found != secrets.cases.end())
      hide_cases(task, found->second);
  return verdict;
}

std::string shown_progress(const std::string& progress, const std::string& lab, const ServerTerms& terms,
                           const Secrets& secrets) {
  if (terms.shows_hidden_cases) return progress;
  for (const auto& [task, cases] : secrets.cases)
    for (const CaseFile& secret : cases)
      if (task.first == lab && progress.find(secret.name) != std::string::npos) return lab + " · a hidden case";
  return progress;
}

}  // namespace lanewise
