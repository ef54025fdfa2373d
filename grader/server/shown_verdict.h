// A verdict as its student may see it.
#pragma once

#include "grader/class/course.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Without details of cases in the group "grade", unless they are shown: only how many there are and which outcomes
/// they had. Scores are unchanged.
Verdict shown_verdict(Verdict verdict, const ServerTerms& terms);

}  // namespace lanewise
