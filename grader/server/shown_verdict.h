// A verdict as its student may see it.
#pragma once

#include <string>

#include "grader/class/course.h"
#include "grader/grading/secrets.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Without the seed, and, unless `terms` shows them, without details of the cases in `secrets`: only their number and
/// outcomes remain, and the tool, kind and line of each finding in them. Scores are unchanged.
Verdict shown_verdict(Verdict verdict, const ServerTerms& terms, const Secrets& secrets);

/// The progress of grading, without the names of cases in `secrets`.
std::string shown_progress(const std::string& progress, const std::string& lab, const ServerTerms& terms,
                           const Secrets& secrets);

}  // namespace lanewise
