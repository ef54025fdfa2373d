#include "harness/vgpu/cudart/device_clock.h"

namespace vgpu::cudart {
namespace {

double at_rate(std::uint64_t bytes, std::uint32_t megabytes_per_second) {
  constexpr double kMegabytesPerSecondOfBytesPerNanosecond = 1000;
  return static_cast<double>(bytes) / megabytes_per_second * kMegabytesPerSecondOfBytesPerNanosecond;
}

}  // namespace

double kernel_nanoseconds(const DeviceProfile& profile, std::uint64_t warp_instructions) {
  const double schedulers = static_cast<double>(profile.sm_count) * profile.sub_partitions;
  return profile.rates.launch_nanoseconds + static_cast<double>(warp_instructions) / schedulers / profile.gigahertz();
}

double memory_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes) {
  return profile.rates.launch_nanoseconds + static_cast<double>(bytes) / profile.dram_bytes_per_nanosecond();
}

double peer_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes) {
  return profile.rates.launch_nanoseconds + at_rate(bytes, profile.rates.peer_megabytes_per_second);
}

double transfer_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes, bool pageable) {
  return profile.rates.copy_nanoseconds + at_rate(bytes, pageable ? profile.rates.pageable_megabytes_per_second
                                                                  : profile.rates.host_megabytes_per_second);
}

double pin_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes) {
  return at_rate(bytes, profile.rates.pin_megabytes_per_second);
}

}  // namespace vgpu::cudart
