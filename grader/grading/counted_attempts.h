// Which of a student's attempts counts.
#pragma once

#include "grader/class/graded_class.h"

namespace lanewise {

/// Marks one attempt per lab as counted and puts it last within its lab; the others are ordered by time. An attempt
/// with a verdict is preferred to one without; then the best (of equal ones, the earliest) or the latest (of equal
/// ones, the last in the given order).
void choose_counted(CountedAttempt how, GradedStudent& student);

}  // namespace lanewise
