// Times a task's function on the device it runs on: many calls, each from the same cold start.
#pragma once

#include <cstddef>
#include <string>

#include "harness/worker/case_memory.h"
#include "harness/worker/runtime.h"

namespace lanewise {

/// How long to sample.
struct SamplingPlan {
  double warm_up = 0.3;            ///< seconds of calls before the first sample, until the clocks are up
  double shortest = 0.25;          ///< seconds
  double longest = 2;              ///< seconds, where a call is long
  std::size_t fewest = 15;         ///< samples...
  std::size_t fewest_of_long = 3;  ///< ...or so many where that would take longer than `longest`
};

/// For sizes whose times are for comparison with one another, and need not be known to the last percent.
inline constexpr SamplingPlan kBriefPlan{0.05, 0.06, 0.5, 15, 3};

/// Calls the entry until the clocks are up, then takes samples: outputs poisoned, what persists in the L2 cache reset,
/// the cache flushed by writing twice its size, device idle, and the call between two events. Appends to `file` a line
/// "problem NUMBER", then "gpu NAME", "driver VERSION", "cuda VERSION" and "default_clock MHZ" where they are known,
/// and a line "sample MILLISECONDS MHZ REASONS" each: the clock of the SMs right after, and in hexadecimal why it is
/// not higher, as the driver's management library tells both (0: not known). Returns a sentence, empty on success.
std::string take_samples(const CudaRuntime& runtime, CaseMemory& memory, const LanewiseTaskEntry& entry,
                         const SamplingPlan& plan, std::size_t number, const std::string& file);

}  // namespace lanewise
