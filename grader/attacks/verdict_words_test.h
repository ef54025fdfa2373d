// What a verdict says, for tests that look for what it has to say and for what it must not.
#pragma once

#include <string>

#include "harness/lab/verdict.h"

namespace lanewise {

/// Every message and sentence of all its tasks, and what was printed, a line each.
inline std::string words_of(const Verdict& verdict) {
  std::string words;
  for (const TaskVerdict& task : verdict.tasks) {
    words += task.message + "\n" + task.output + "\n";
    for (const CaseVerdict& each : task.cases) words += each.sentence + "\n";
    for (const Finding& finding : task.findings) words += finding.sentence + "\n";
    for (const GoalVerdict& goal : task.goals) words += goal.sentence + "\n";
  }
  return words;
}

}  // namespace lanewise
