// From what was seen of a task to its points, at the end of its grading or whenever points, questions or their key have
// changed since.
#pragma once

#include <string>

#include "harness/runner/grade.h"

namespace lanewise {

/// Sets marks, parts and the next threshold of a task that ran.
void score_graded(const GradeRequest& request, const TaskFile& file, bool is_virtual, TaskVerdict& task);

/// Sets marks and parts of a task that did not get as far as running, `why` says why: that is the submission's doing,
/// so what could have been earned counts.
void score_lost(const GradeRequest& request, const TaskFile& file, bool is_virtual, const std::string& why,
                TaskVerdict& task);

/// Scores a whole verdict anew. It must be of the same submission, under a lab.toml that differed in points only (see
/// lab_without_points.h): then it becomes what grading again would give, without running anything. False if it cannot
/// be of that lab; the verdict is then of no use.
bool rescore(const GradeRequest& request, Verdict& verdict);

}  // namespace lanewise
