// The counters that a lab.toml may name, and how each follows from what the virtual GPU counted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lanewise {

/// What all kernels of one call have cost together, by the names of the report file (harness/vgpu/README.md), and
/// beside them `launches`, and `modelled_nanoseconds` of the whole call. Of the kernel that executed most: `registers`
/// a thread, `shared_bytes` a block, `warps_per_sm` and `max_warps_per_sm`.
using CounterSums = std::map<std::string, std::uint64_t>;

/// The sum of the named ones; what is absent is 0.
std::uint64_t sum_of(const std::vector<std::string>& names, const CounterSums& sums);

/// What one line of the source cost.
struct LineCost {
  std::string file;  ///< base name
  int line = 0;
  CounterSums sums;
};

/// A modelled time, with what takes most of it.
struct ModelledSpan {
  double nanoseconds = 0;     ///< all kernels, launches and copies of the call; 0: nothing was modelled
  std::string bound_by;       ///< of the kernel that takes longest: "memory", "instruction issue", "launches", ...
  std::string bound_counter;  ///< of the sums, which says what each line contributes to that; may be empty
};

/// How long the virtual GPU's model takes a call to last on the device of its profile.
struct ModelledTime {
  ModelledSpan call;
  ModelledSpan at_scale;  ///< per part of a call that is 256 times as large: harness/vgpu/README.md

  std::string device;           ///< of the profile: "NVIDIA H200"
  double bytes_per_second = 0;  ///< that a kernel which only copies reaches there; 0: not known
  double flops_per_second = 0;  ///< in single precision, at its peak; 0: not known
};

/// What a case cost.
struct CounterReport {
  CounterSums sums;
  std::vector<LineCost> lines;
  ModelledTime modelled;
};

enum class CounterUnit : std::uint8_t { kCount, kRatio, kBytes, kPercent };

/// A counter is a sum, or a sum divided by another one.
struct Counter {
  std::string name;     ///< as in lab.toml: "sectors_per_request.global_load"
  std::string heading;  ///< of a column: "sectors a request, global loads"
  CounterUnit unit = CounterUnit::kCount;
  std::vector<std::string> parts;  ///< of CounterSums, added
  std::vector<std::string> per;    ///< likewise; empty: a mere sum
};

/// Every counter there is, in the order in which to list them.
const std::vector<Counter>& known_counters();

/// The counter of that name, or null.
const Counter* find_counter(const std::string& name);

/// "there is no counter 'sector_per_request.global_load'; did you mean 'sectors_per_request.global_load'?"
std::string unknown_counter(const std::string& name);

/// Nothing for a share of nothing: sectors a request where there are no requests.
std::optional<double> value_of(const Counter& counter, const CounterSums& sums);

/// As it stands in a table: "15,625", "2.19 M", "7.94", "16.0 MB", "31 %"; "–" for no value. Percent values are shares
/// of 1.
std::string counter_text(const Counter& counter, std::optional<double> value);

}  // namespace lanewise
