// Whether the host, rather than a kernel, did the work of a call, or may have done it.
#pragma once

#include <string>

#include "harness/lab/counters.h"
#include "harness/lab/lab.h"

namespace lanewise {

/// A sentence for a reviewer if a task over device pointers had more within the host's reach than flags and a few
/// results; "" otherwise. `counts` are those of one call with the inputs of `problem`.
std::string doubt_that_kernels_did_it(const Problem& problem, const CounterReport& counts);

/// What kernels did if that is too little for a task over host pointers: if they read less than its inputs, or wrote
/// less than its outputs, or fewer bytes were copied than these have, or their threads executed fewer instructions than
/// `flops` operations take, the host did the work. "" otherwise.
std::string work_without_kernels(const Problem& problem, double flops, const CounterReport& counts);

}  // namespace lanewise
