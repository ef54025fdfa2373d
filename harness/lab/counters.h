// The counters that a lab.toml may name, and how each follows from what the virtual GPU counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanewise {

/// Counts over all kernels of one call, under the names of the report file (harness/vgpu/README.md), plus, of the whole
/// call, `launches`, `modelled_nanoseconds`, `host_requests`, `host_waits`, `copied_sectors` and `device_span`, the
/// nanoseconds in which any of its engines works. For the kernel that executed most: `registers` per thread,
/// `shared_bytes` per block, `warps_per_sm` and `max_warps_per_sm`.
using CounterSums = std::map<std::string, std::uint64_t>;

constexpr std::uint64_t kSectorBytes = 32;

/// The sum of the named counters; an absent one counts as 0.
std::uint64_t sum_of(const std::vector<std::string>& names, const CounterSums& sums);

/// What one line of the source cost.
struct LineCost {
  std::string file;  ///< base name
  int line = 0;
  CounterSums sums;
};

/// A modelled time, and what accounts for most of it.
struct ModelledSpan {
  double nanoseconds = 0;     ///< all kernels, launches and copies of the call; 0: nothing was modelled
  std::string bound_by;       ///< the longest kernel's limit: "memory", "instruction issue", "launches", ...
  std::string bound_counter;  ///< the counter that shows each line's share of that limit; may be empty
};

/// How long a call lasts on the profile's device, by the virtual GPU's model.
struct ModelledTime {
  ModelledSpan call;
  ModelledSpan at_scale;  ///< per part of a call that is `scale` times as large: harness/vgpu/README.md
  double scale = 0;
  double serial = 0;                 ///< nanoseconds that the call would take on a device without end
  double serial_kernels = 0;         ///< of these, in kernels
  double longest_serial_kernel = 0;  ///< and in the one that takes the most of them

  std::string device;           ///< the profile's: "NVIDIA H200"
  double bytes_per_second = 0;  ///< reached there by a kernel that only copies; 0: not known
  double flops_per_second = 0;  ///< its peak in single precision; 0: not known
};

/// What a case cost.
struct CounterReport {
  CounterSums sums;
  std::vector<LineCost> lines;
  ModelledTime modelled;
  std::uint64_t host_bytes = 0;  ///< copied between host and device, or in memory that both could reach
};

enum class CounterUnit : std::uint8_t { kCount, kRatio, kBytes, kPercent, kNanoseconds };

/// A counter is a sum, or a sum divided by another one.
struct Counter {
  std::string name;     ///< as in lab.toml: "sectors_per_request.global_load"
  std::string heading;  ///< of a column: "sectors per request, global loads"
  CounterUnit unit = CounterUnit::kCount;
  std::vector<std::string> parts;  ///< of CounterSums, added
  std::vector<std::string> per;    ///< likewise, the divisor; empty: the counter is a plain sum
};

/// All counters, in listing order.
const std::vector<Counter>& known_counters();

/// The counter of that name, or null.
const Counter* find_counter(const std::string& name);

/// "there is no counter 'sector_per_request.global_load'; did you mean 'sectors_per_request.global_load'?"
std::string unknown_counter(const std::string& name);

/// Empty if the divisor is 0: sectors per request where there are no requests.
std::optional<double> value_of(const Counter& counter, const CounterSums& sums);

/// As shown in a table: "15,625", "2.19 M", "7.94", "16.0 MB", "31 %"; "–" for no value. A percent value is given as a
/// fraction of 1.
std::string counter_text(const Counter& counter, std::optional<double> value);

}  // namespace lanewise
