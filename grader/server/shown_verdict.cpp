// Names, sizes and values of hidden cases would reveal what is tested: an index just past an array is its size.
#include "grader/server/shown_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace lanewise {
namespace {

constexpr const char* kNoDetails = "your instructor shows no details of this case";

using ShownNames = std::map<std::string, std::string>;  // from the name of a hidden case to the name shown instead

// What somebody who sees only the source could know: which mistake is where.
void hide_findings(std::vector<Finding>& findings, const ShownNames& shown) {
  std::vector<Finding> kept;
  for (Finding& finding : findings) {
    const auto found = shown.find(finding.case_name);
    finding.count = 1;  // it is counted over all cases
    if (found == shown.end()) {
      kept.push_back(std::move(finding));
      continue;
    }
    Finding bare;
    bare.tool = std::move(finding.tool);
    bare.kind = std::move(finding.kind);
    bare.place = std::move(finding.place);
    bare.sentence = "in a hidden case";
    bare.case_name = found->second;
    const auto is_same = [&bare](const Finding& other) {
      return other.tool == bare.tool && other.kind == bare.kind && other.place.file == bare.place.file &&
             other.place.line == bare.place.line && other.sentence == bare.sentence;
    };
    if (std::none_of(kept.begin(), kept.end(), is_same)) kept.push_back(std::move(bare));
  }
  findings = std::move(kept);
}

void hide_costs(TaskVerdict& task, const ShownNames& shown) {
  for (GoalVerdict& goal : task.goals) {
    const auto found = shown.find(goal.case_name);
    if (found == shown.end()) continue;
    goal.case_name = found->second;
    goal.value.clear();
    goal.goal.clear();
    goal.hint.clear();
    goal.sentence = fmt::format("{}: {}", goal.heading, kNoDetails);
  }
  for (ClassTable::Row& row : task.classes.rows) {
    const auto found = shown.find(row.case_name);
    if (found == shown.end()) continue;
    row.case_name = found->second;
    row.values.clear();
  }
  const auto timed = shown.find(task.speed.case_name);
  if (timed == shown.end()) return;
  task.speed.case_name = timed->second;
  task.speed.sizes.clear();
  task.speed.sentence = kNoDetails;
  if (!task.speed.review.empty()) task.speed.review = kNoDetails;
  for (PartScore& part : task.parts)
    if (part.name == "fast") part.evidence = kNoDetails;
}

void hide_cases(TaskVerdict& task, const std::vector<CaseFile>& secret) {
  ShownNames shown;
  for (CaseVerdict& each : task.cases) {
    const auto is_it = [&each](const CaseFile& other) { return other.name == each.name; };
    if (std::none_of(secret.begin(), secret.end(), is_it)) continue;
    CaseVerdict hidden;
    hidden.name = fmt::format("hidden case {}", shown.size() + 1);
    hidden.group = each.group;
    hidden.points = each.points;
    hidden.max_points = each.max_points;
    hidden.outcome = each.outcome;
    if (each.outcome != CaseOutcome::kRight) hidden.sentence = kNoDetails;
    shown[each.name] = hidden.name;
    each = std::move(hidden);
  }
  if (shown.empty()) return;
  hide_findings(task.findings, shown);
  hide_costs(task, shown);
  task.output.clear();  // which may have been printed in a hidden case
  task.output_bytes = 0;
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
