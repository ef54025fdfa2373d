// Turns an observation into one sentence that a student can act on.
#pragma once

#include <string>

#include "harness/lab/lab.h"
#include "harness/lab/verdict.h"
#include "harness/runner/session/observation.h"

namespace lanewise {

/// Outcome and sentence of a case that did not return normally.
struct Explained {
  CaseOutcome outcome = CaseOutcome::kNotRun;
  std::string sentence;
};
Explained explain_ending(const CaseObservation& observation, double limit_seconds);

/// "out[1024] is 1, expected 513; 1 of 1,025 wrong, from 1024 to the end". `got` is needed to tell bytes never written.
std::string explain_mismatch(const Judgement& judgement, const std::vector<Array>& got);

/// "wrote 24 bytes past the end of d_c, the nearest to d_c[1000]". Empty without violations and changed inputs.
std::string explain_stray_writes(const CaseObservation& observation);

/// One finding per kind of refused system call.
std::vector<Finding> explain_refused(const std::vector<RefusedCall>& refused, const std::string& case_name);

/// Whether the same work may end differently next time: the machine played a part (time, memory), or something missing
/// may be there then.
bool may_end_otherwise(const CaseVerdict& verdict);

/// "n = 1025, radius = 3"
std::string describe_scalars(const Problem& problem);

}  // namespace lanewise
