// Which of a student's attempts counts.
#pragma once

#include "grader/graded_class.h"

namespace lanewise {

/// Marks one attempt a lab as counted and puts it last of its lab; the others go by time. One with a verdict before one
/// without; then the best, of equal ones the earliest, or the latest, of equal ones the last in the order given.
void choose_counted(CountedAttempt how, GradedStudent& student);

}  // namespace lanewise
