// Times a task's function on the device it runs on: many calls, each from the same cold start.
#pragma once

#include <string>

#include "harness/worker/case_memory.h"
#include "harness/worker/runtime.h"

namespace lanewise {

/// Calls the entry until the clocks are up, then takes samples: outputs poisoned, L2 cache flushed by writing twice its
/// size, device idle, and the call between two events. At least 15 samples and a quarter of a second, but no more than
/// about two seconds where a call is long; three samples at least. Writes lines "gpu NAME", "driver VERSION", "cuda
/// VERSION", "sm_clock MHZ" and "sample MILLISECONDS" to `file`. Returns a sentence, empty on success.
std::string take_samples(const CudaRuntime& runtime, CaseMemory& memory, const LanewiseTaskEntry& entry,
                         const std::string& file);

}  // namespace lanewise
