// A verdict as its student may see it.
#pragma once

#include <string>

#include "grader/class/course.h"
#include "grader/grading/secrets.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Without the seed; and without details of the cases in `secrets`, unless they are shown: only how many there are and
/// which outcomes they had. Scores are unchanged.
Verdict shown_verdict(Verdict verdict, const ServerTerms& terms, const Secrets& secrets);

/// What is being done for a submission, without the name of a case in `secrets`.
std::string shown_progress(const std::string& progress, const std::string& lab, const ServerTerms& terms,
                           const Secrets& secrets);

}  // namespace lanewise
