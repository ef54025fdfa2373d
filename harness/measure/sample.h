// One timed call as it was seen, and when it does not count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::measure {

/// 0 stands for what is not known, throughout.
struct Sample {
  double seconds = 0;            ///< by the runner's clock, less what the way there and back costs
  double event_seconds = 0;      ///< by events around the call, taken in the process that hosts the submission
  unsigned sm_clock = 0;         ///< MHz, when the call was done
  std::uint64_t throttling = 0;  ///< bits of NVML's clock event reasons
};

/// Whether the clock stood below 75 % of the device's default, so that the sample says more of its cooling than of the
/// kernel. The bar is NVBench's ("throttle threshold"). Never where either clock is not known.
bool is_throttled(const Sample& sample, unsigned default_clock);

/// A sentence with both times where the events in the worker tell of a shorter or longer call than the runner's clock
/// does; empty if they agree, or if there are none. The clock counts; that a process shows another time is for a human
/// to look at: it measures wrongly on purpose, or works where nobody waits for it.
///
/// Agreeing is: the medians differ by at most 60 µs and a tenth. Between *go* and the first event, and between the
/// last kernel's end and *done*, lie two system calls, two launches of events and one wait: 10 to 20 µs on a machine of
/// its own, more where processes share cores. Work left outside the events to any profit is more than a tenth.
std::string disagreement(const std::vector<Sample>& samples);

}  // namespace lanewise::measure
