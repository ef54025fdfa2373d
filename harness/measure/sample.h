// One timed call as observed, and when it does not count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lanewise::measure {

/// 0 means not known, throughout.
struct Sample {
  double seconds = 0;            ///< by the runner's clock, less an empty round trip
  double event_seconds = 0;      ///< by events around the call, taken in the process that hosts the submission
  unsigned sm_clock = 0;         ///< MHz, at the end of the call
  std::uint64_t throttling = 0;  ///< bits of NVML's clock event reasons
  double ready_seconds = 0;      ///< from when its process could see the inputs until it said it was ready
  double settling_seconds = 0;   ///< from the call's end until the device had run a kernel of another process's
};

/// Whether the clock was below 75 % of the device's default, so that the sample says more about its cooling than about
/// the kernel. The threshold is NVBench's ("throttle threshold"). False if either clock is not known.
bool is_throttled(const Sample& sample, unsigned default_clock);

/// A sentence with both times if the events in the worker report a shorter or longer call than the runner's clock;
/// empty if they agree, or if there are none. The clock counts; a human should look at a process whose events differ:
/// it falsifies them, or works where nothing waits for it.
///
/// They agree if the medians differ by at most 60 µs plus a tenth. Between *start* and the first event, and between the
/// last kernel's end and *end*, there are two system calls, two event launches and one wait: 10 to 20 µs on a dedicated
/// machine, more if processes share cores. Work outside the events is worth cheating for only above a tenth.
std::string disagreement(const std::vector<Sample>& samples);

/// A sentence if a process takes longer than the reference's to be ready for its calls, or the device longer to turn to
/// another process after them: something is done while nobody takes the time. Empty if not, or if it is not known.
///
/// On an H200, the medians of honest entries (of 30 calls or more) differ by at most 55 µs before a call, where a
/// process has to be woken, and by 9 µs after it, where only the device takes part. Allowed are 100 and 10 µs, and as
/// much as there is between the quartiles of the reference. A kernel that goes on for 56 µs makes 67 µs of difference.
std::string work_off_the_clock(const std::vector<Sample>& samples, const std::vector<Sample>& of_reference);

}  // namespace lanewise::measure
