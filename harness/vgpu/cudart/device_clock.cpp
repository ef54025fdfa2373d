#include "harness/vgpu/cudart/device_clock.h"

#include <algorithm>

namespace vgpu::cudart {
namespace {

constexpr double kLaunchNanoseconds = 2500;         // from launch to first instruction and back, as on current devices
constexpr double kTransferBytesPerNanosecond = 50;  // PCI Express 5.0 x16 with pinned memory
constexpr double kTransferStart = 8000;
constexpr double kPeerBytesPerNanosecond = 450;  // NVLink 4: 18 links of 25 GB/s each way

double attribute(const DeviceProfile& profile, const char* name, double otherwise) {
  const auto found = profile.attributes.find(name);
  return found == profile.attributes.end() || found->second <= 0 ? otherwise : static_cast<double>(found->second);
}

}  // namespace

double kernel_nanoseconds(const DeviceProfile& profile, std::uint64_t warp_instructions) {
  const double gigahertz = attribute(profile, "ClockRate", 1e6) * 1e-6;
  const double schedulers = static_cast<double>(profile.sm_count) * std::max(profile.sub_partitions, 1u);
  return kLaunchNanoseconds + static_cast<double>(warp_instructions) / schedulers / gigahertz;
}

double memory_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes) {
  // Two transfers a clock, and as many bytes each as the bus is wide.
  const double bytes_per_nanosecond =
      2 * attribute(profile, "MemoryClockRate", 1e6) * 1e-6 * attribute(profile, "GlobalMemoryBusWidth", 256) / 8;
  return kLaunchNanoseconds + static_cast<double>(bytes) / bytes_per_nanosecond;
}

double peer_nanoseconds(std::uint64_t bytes) {
  return kLaunchNanoseconds + static_cast<double>(bytes) / kPeerBytesPerNanosecond;
}

double transfer_nanoseconds(std::uint64_t bytes) {
  return kTransferStart + static_cast<double>(bytes) / kTransferBytesPerNanosecond;
}

}  // namespace vgpu::cudart
