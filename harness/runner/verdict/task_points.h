// Computes points from what was observed of a task, at the end of its grading or after points, questions or their key
// have changed.
#pragma once

#include <string>

#include "harness/runner/verdict/grade.h"

namespace lanewise {

/// Sets marks, parts and the next threshold of a task that ran.
void score_graded(const GradeRequest& request, const TaskFile& file, bool is_virtual, TaskVerdict& task);

/// Sets marks and parts of a task that did not run, for the reason `why`: the submission is to blame, so the points it
/// could have earned count.
void score_lost(const GradeRequest& request, const TaskFile& file, bool is_virtual, const std::string& why,
                TaskVerdict& task);

/// Rescores a whole verdict. It must be of the same submission under a lab.toml that differed only in points (see
/// lab_without_points.h); it then becomes what grading again would give, without running anything. False if it cannot
/// be of that lab; the verdict is then unusable.
bool rescore(const GradeRequest& request, Verdict& verdict);

}  // namespace lanewise
