// Goals on counters: whether the cost of a case is within the lab's bound, and which line costs too much.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/lab/counters.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Every goal of a task, not measured, with the reason `why`.
std::vector<GoalVerdict> unmeasured_goals(const TaskFile& file, const std::string& why);

/// Measures a goal by the cost of its case. A counter without a value (sectors per request if nothing is requested)
/// meets every goal.
void measure_goal(const GoalFile& goal, const CounterReport& cost, GoalVerdict& verdict);

/// Takes back what is met by goals of the task that come after another one, where that one is missed.
void hold_back_goals(const TaskFile& file, std::vector<GoalVerdict>& goals);

}  // namespace lanewise
