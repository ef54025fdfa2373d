#include "harness/vgpu/cudart/device_clock.h"

#include <algorithm>

namespace vgpu::cudart {
namespace {

/// What grows with the call, and takes no time on a device without end.
TimeSpan every_time(double nanoseconds) { return {nanoseconds, nanoseconds, 0}; }

TimeSpan at_rate(std::uint64_t bytes, std::uint32_t megabytes_per_second) {
  constexpr double kMegabytesPerSecondOfBytesPerNanosecond = 1000;
  return every_time(static_cast<double>(bytes) / megabytes_per_second * kMegabytesPerSecondOfBytesPerNanosecond);
}

}  // namespace

TimeSpan kernel_time(const DeviceProfile& profile, std::uint64_t warp_instructions, bool is_in_graph) {
  const double schedulers = static_cast<double>(profile.sm_count) * profile.sub_partitions;
  return once(is_in_graph ? profile.rates.graph_launch_nanoseconds : profile.rates.launch_nanoseconds) +
         every_time(static_cast<double>(warp_instructions) / schedulers / profile.gigahertz());
}

TimeSpan memory_time(const DeviceProfile& profile, std::uint64_t bytes) {
  return once(profile.rates.launch_nanoseconds) +
         every_time(static_cast<double>(bytes) / profile.dram_bytes_per_nanosecond());
}

TimeSpan library_time(const DeviceProfile& profile, std::uint64_t bytes, std::uint64_t fp32_operations,
                      std::uint64_t fp64_operations) {
  constexpr double kOperationsOfFma = 2;
  const auto takes = [&](std::uint64_t operations, std::uint32_t fmas) {
    return static_cast<double>(operations) / (kOperationsOfFma * fmas * profile.sm_count * profile.gigahertz());
  };
  const double computing = takes(fp32_operations, profile.fp32_fmas) + takes(fp64_operations, profile.fp64_fmas);
  return once(profile.rates.launch_nanoseconds) +
         every_time(std::max(computing, static_cast<double>(bytes) / profile.dram_bytes_per_nanosecond()));
}

TimeSpan peer_time(const DeviceProfile& profile, std::uint64_t bytes) {
  return once(profile.rates.launch_nanoseconds) + at_rate(bytes, profile.rates.peer_megabytes_per_second);
}

TimeSpan transfer_time(const DeviceProfile& profile, std::uint64_t bytes, bool pageable) {
  return once(profile.rates.copy_nanoseconds) + at_rate(bytes, pageable ? profile.rates.pageable_megabytes_per_second
                                                                        : profile.rates.host_megabytes_per_second);
}

TimeSpan pin_time(const DeviceProfile& profile, std::uint64_t bytes) {
  return at_rate(bytes, profile.rates.pin_megabytes_per_second);
}

TimeSpan malloc_time(const DeviceProfile& profile) { return once(profile.rates.malloc_host_nanoseconds); }

TimeSpan free_time(const DeviceProfile& profile) { return once(profile.rates.free_host_nanoseconds); }

TimeSpan instantiation_time(const DeviceProfile& profile, std::size_t nodes) {
  return once(static_cast<double>(nodes) * profile.rates.graph_node_host_nanoseconds);
}

TimeSpan allocation_time(const DeviceProfile& profile, std::uint64_t unmapped) {
  constexpr std::uint64_t kMapped = std::uint64_t{32} << 20;  // at a time
  const std::uint64_t pieces = (unmapped + kMapped - 1) / kMapped;
  const double each = profile.rates.map_host_nanoseconds;
  return once(profile.rates.allocate_host_nanoseconds) +
         TimeSpan{static_cast<double>(pieces) * each, static_cast<double>(unmapped) / kMapped * each, 0};
}

}  // namespace vgpu::cudart
