// Goals on counters: whether what a case cost is within what the lab asks for, and which line costs too much.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/lab/counters.h"
#include "harness/lab/lab_file.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Every goal of a task as not measured: `why` says why.
std::vector<GoalVerdict> unmeasured_goals(const TaskFile& file, const std::string& why);

/// Measures a goal by what its case cost. A counter without a value (sectors a request where nothing is requested)
/// meets every goal.
void measure_goal(const GoalFile& goal, const CounterReport& cost, GoalVerdict& verdict);

}  // namespace lanewise
