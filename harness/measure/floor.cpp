// Work over peak rates.
#include "harness/measure/floor.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanewise::measure {
namespace {

constexpr double kTransfersAClock = 2;
constexpr double kFlopsACoreAndClock = 2;
constexpr double kTensorCores = 6;
constexpr double kAboveACopy = 1.4;
// The largest L2 cache of a GPU so far, with some room: 126 MB of a B200, 96 of an RTX Pro 6000, 50 of an H200.
constexpr double kMostInCache = 128.0 * (1 << 20);

double seconds_of_memory(const LeastWork& work, const Peaks& peaks) {
  const double bytes = work.bytes - std::min({work.bytes, work.output_bytes, kMostInCache});
  return peaks.bytes_per_second > 0 ? bytes / peaks.bytes_per_second : 0;
}

double seconds_of_arithmetic(const LeastWork& work, const Peaks& peaks) {
  return peaks.flops_per_second > 0 ? work.flops / peaks.flops_per_second : 0;
}

}  // namespace

Peaks peaks_of(const MemoryAndCores& device, double copied_bytes_per_second) {
  Peaks peaks;
  peaks.bytes_per_second = kTransfersAClock * 1e6 * device.memory_clock * device.bus_bits / 8;
  // Not known, or of another kind of clock than data is sent at: a copy proves more.
  if (peaks.bytes_per_second < copied_bytes_per_second) peaks.bytes_per_second = kAboveACopy * copied_bytes_per_second;
  peaks.flops_per_second = kTensorCores * kFlopsACoreAndClock * 1e6 * device.cores * device.sm_clock;
  return peaks;
}

double floor_of(const LeastWork& work, const Peaks& peaks) {
  return std::max(seconds_of_memory(work, peaks), seconds_of_arithmetic(work, peaks));
}

std::string below_floor(double seconds, const LeastWork& work, const Peaks& peaks) {
  const double least = floor_of(work, peaks);
  if (seconds >= least) return "";
  if (seconds_of_memory(work, peaks) >= least)
    return fmt::format(
        "{:.3f} ms is less than the {:.3f} ms that this device needs to move the required {:.1f} MB: "
        "the work was done elsewhere, or not at all",
        1e3 * seconds, 1e3 * least, work.bytes / 1e6);
  return fmt::format(
      "{:.3f} ms is less than the {:.3f} ms that this device needs for the required {:.1f} billion operations: "
      "the work was done elsewhere, or not at all",
      1e3 * seconds, 1e3 * least, work.flops / 1e9);
}

}  // namespace lanewise::measure
