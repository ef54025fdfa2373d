// Whether the host had so much of a call's data that it, rather than a kernel, may have done the work.
#pragma once

#include <string>

#include "harness/lab/counters.h"
#include "harness/lab/lab.h"

namespace lanewise {

/// A sentence for a reviewer if a task over device pointers had more within the host's reach than flags and a few
/// results; "" otherwise. `counts` are those of one call with the inputs of `problem`.
std::string doubt_that_kernels_did_it(const Problem& problem, const CounterReport& counts);

}  // namespace lanewise
