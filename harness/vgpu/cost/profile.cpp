#include "harness/vgpu/cost/profile.h"

#include <toml++/toml.h>
#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

#include "harness/vgpu/cost/built_in_profiles.h"

namespace vgpu {
namespace {

/// Reads numbers out of a table and remembers what was wrong with the first key that was missing or out of range.
class Reader {
 public:
  explicit Reader(const toml::table& table) : table_(table) {}

  template <class T>
  void number(T& to, std::string_view path, std::int64_t least = 0) {
    constexpr std::uint64_t kMost =
        std::min<std::uint64_t>(std::numeric_limits<T>::max(), std::numeric_limits<std::int64_t>::max());
    const std::optional<std::int64_t> value = table_.at_path(path).value<std::int64_t>();
    if (value && *value >= least && static_cast<std::uint64_t>(*value) <= kMost) {
      to = static_cast<T>(*value);
    } else if (problem_.empty()) {
      problem_ = value ? "the profile's number '" + std::string(path) + "' is " + std::to_string(*value) +
                             "; it must be from " + std::to_string(least) + " to " + std::to_string(kMost)
                       : "the profile has no number '" + std::string(path) + "'";
    }
  }
  /// A number that others are divided by, or of which nothing runs without at least one.
  template <class T>
  void count(T& to, std::string_view path) {
    number(to, path, 1);
  }
  void text(std::string& to, std::string_view path) {
    const std::optional<std::string> value = table_.at_path(path).value<std::string>();
    if (value)
      to = *value;
    else if (problem_.empty())
      problem_ = "the profile has no string '" + std::string(path) + "'";
  }
  const std::string& problem() const { return problem_; }

 private:
  const toml::table& table_;
  std::string problem_;
};

}  // namespace

std::variant<DeviceProfile, std::string> parse_profile(const std::string& text) {
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& error) {
    return "the profile is not TOML: line " + std::to_string(error.source().begin.line) + ": " +
           std::string(error.description());
  }
  DeviceProfile p;
  Reader read(table);
  read.text(p.name, "name");
  read.number(p.memory, "memory_bytes");
  read.number(p.pitch_alignment, "pitch_alignment");
  read.count(p.register_allocation_unit, "allocation.register_unit");
  read.count(p.shared_allocation_unit, "allocation.shared_unit");
  read.count(p.sub_partitions, "allocation.sub_partitions");
  read.number(p.l2_held_bytes, "caches.l2_held_bytes");
  read.count(p.fp32_fmas, "throughput.fp32_fmas");
  read.count(p.fp64_fmas, "throughput.fp64_fmas");
  read.count(p.int32_lanes, "throughput.int32");
  read.count(p.special_lanes, "throughput.special");
  read.count(p.memory_lanes, "throughput.memory");
  read.count(p.tensor_fmas, "throughput.tensor");
  read.count(p.latency.shared, "latency.shared");
  read.count(p.latency.l1, "latency.l1");
  read.count(p.latency.l2, "latency.l2");
  read.count(p.latency.dram, "latency.dram");
  read.count(p.latency.busy_dram, "latency.busy_dram");
  read.count(p.latency.block, "latency.block");
  read.count(p.rates.issue_percent, "rates.issue_percent");
  read.count(p.rates.dram_percent, "rates.dram_percent");
  read.count(p.rates.l2_bytes_per_clock, "rates.l2_bytes_per_clock");
  read.count(p.rates.atomic_turns_per_clock, "rates.atomic_turns_per_clock");
  read.count(p.rates.atomic_line_picoseconds, "rates.atomic_line_picoseconds");
  read.count(p.rates.match_clocks, "rates.match_clocks");
  read.count(p.rates.launch_nanoseconds, "rates.launch_nanoseconds");
  read.count(p.rates.launch_host_nanoseconds, "rates.launch_host_nanoseconds");
  read.count(p.rates.reach_nanoseconds, "rates.reach_nanoseconds");
  read.count(p.rates.graph_launch_nanoseconds, "rates.graph_launch_nanoseconds");
  read.count(p.rates.graph_node_host_nanoseconds, "rates.graph_node_host_nanoseconds");
  read.count(p.rates.malloc_host_nanoseconds, "rates.malloc_host_nanoseconds");
  read.count(p.rates.free_host_nanoseconds, "rates.free_host_nanoseconds");
  read.count(p.rates.allocate_host_nanoseconds, "rates.allocate_host_nanoseconds");
  read.count(p.rates.map_host_nanoseconds, "rates.map_host_nanoseconds");
  read.count(p.rates.host_megabytes_per_second, "rates.host_megabytes_per_second");
  read.count(p.rates.pageable_megabytes_per_second, "rates.pageable_megabytes_per_second");
  read.count(p.rates.pin_megabytes_per_second, "rates.pin_megabytes_per_second");
  read.count(p.rates.peer_megabytes_per_second, "rates.peer_megabytes_per_second");
  read.count(p.rates.copy_nanoseconds, "rates.copy_nanoseconds");
  read.count(p.sm_count, "attributes.MultiProcessorCount");
  read.count(p.sm_max_threads, "attributes.MaxThreadsPerMultiProcessor");
  read.count(p.sm_max_blocks, "attributes.MaxBlocksPerMultiprocessor");
  read.count(p.sm_registers, "attributes.MaxRegistersPerMultiprocessor");
  read.number(p.sm_shared, "attributes.MaxSharedMemoryPerMultiprocessor");
  read.number(p.reserved_shared, "attributes.ReservedSharedMemoryPerBlock");
  read.count(p.block_max_threads, "attributes.MaxThreadsPerBlock");
  constexpr const char* kAxes[] = {"X", "Y", "Z"};
  for (std::size_t i = 0; i < 3; ++i) {
    read.number(p.block_max_extent[i], std::string("attributes.MaxBlockDim") + kAxes[i]);
    read.number(p.grid_max_extent[i], std::string("attributes.MaxGridDim") + kAxes[i]);
  }
  read.number(p.block_registers, "attributes.MaxRegistersPerBlock");
  read.number(p.block_shared, "attributes.MaxSharedMemoryPerBlock");
  read.number(p.block_shared_opt_in, "attributes.MaxSharedMemoryPerBlockOptin");
  read.count(p.clock_kilohertz, "attributes.ClockRate");
  read.count(p.memory_kilohertz, "attributes.MemoryClockRate");
  read.count(p.memory_bus_bits, "attributes.GlobalMemoryBusWidth");
  read.number(p.compute_major, "attributes.ComputeCapabilityMajor");
  read.number(p.compute_minor, "attributes.ComputeCapabilityMinor");
  for (std::size_t i = 0; i < p.limits.size(); ++i) read.number(p.limits[i], std::string("limits.") + kLimitNames[i]);
  if (!read.problem().empty()) return read.problem();
  for (const auto& [key, value] : *table["attributes"].as_table())
    if (const auto number = value.value<std::int64_t>()) p.attributes[std::string(key.str())] = *number;
  return p;
}

std::vector<std::string> built_in_profiles() {
  std::vector<std::string> names;
  for (const BuiltInProfile& profile : kBuiltInProfiles) names.emplace_back(profile.name);
  return names;
}

std::variant<ProfileText, std::string> profile_text(const std::string& name) {
  for (const BuiltInProfile& profile : kBuiltInProfiles)
    if (name == profile.name) return ProfileText{profile.toml};
  if (name.find('\n') != std::string::npos) return ProfileText{name};
  std::ifstream file(name);
  std::stringstream text;
  if (!file || !(text << file.rdbuf())) {
    std::string known;
    for (const std::string& each : built_in_profiles()) known += (known.empty() ? "" : ", ") + each;
    return "there is no device profile '" + name + "': give one of " + known + ", or the path of a TOML file";
  }
  return ProfileText{text.str()};
}

std::variant<DeviceProfile, std::string> load_profile(const std::string& name) {
  const auto text = profile_text(name);
  if (const auto* const problem = std::get_if<std::string>(&text)) return *problem;
  return parse_profile(std::get<ProfileText>(text).toml);
}

}  // namespace vgpu
