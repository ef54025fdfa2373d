// Puts what was observed into one sentence a student can act on.
#pragma once

#include <string>

#include "harness/lab/lab.h"
#include "harness/lab/verdict.h"
#include "harness/runner/observation.h"

namespace lanewise {

/// Outcome and sentence of a case that ended other than by returning normally.
struct Explained {
  CaseOutcome outcome = CaseOutcome::kNotRun;
  std::string sentence;
};
Explained explain_ending(const CaseObservation& observation, double limit_seconds);

/// "out[1024] is 1, expected 513; 1 of 1,025 wrong, from 1024 to the end". `got` is needed to tell bytes never written.
std::string explain_mismatch(const Judgement& judgement, const std::vector<Array>& got);

/// "wrote 24 bytes past the end of d_c, the nearest to d_c[1000]". Empty without violations and changed inputs.
std::string explain_stray_writes(const CaseObservation& observation);

/// One finding for each kind of system call that was refused.
std::vector<Finding> explain_refused(const std::vector<RefusedCall>& refused, const std::string& case_name);

/// Whether the same work may well end otherwise another time: the machine had a part in it (time, memory), or something
/// was missing that may be there then.
bool may_end_otherwise(const CaseVerdict& verdict);

/// "n = 1025, radius = 3"
std::string describe_scalars(const Problem& problem);

}  // namespace lanewise
