// How long work takes, except for kernels that counters watch. Deterministic, unlike the run time of this process.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/cost/time_model.h"

namespace vgpu::cudart {

/// What takes time. The last four are the host's: asking for launches, copies and fills; allocating and freeing;
/// pinning memory; and waiting for the device, which is no work and not among the kBusyKinds.
enum class Busy : std::uint8_t {
  kKernel,
  kFill,
  kCopyWithin,
  kCopyIn,
  kCopyOut,
  kLaunching,
  kAllocating,
  kPinning,
  kWaiting
};
inline constexpr std::size_t kBusyKinds = 8;

inline constexpr bool is_the_hosts(Busy kind) { return kind >= Busy::kLaunching; }

/// Nanoseconds of the call as it is; per part of one that is kScale times as large; and on a device without end: see
/// LaunchTime::at_scale and LaunchTime::serial.
struct TimeSpan {
  double nanoseconds = 0, at_scale = 0, serial = 0;

  TimeSpan& operator+=(const TimeSpan& more) {
    nanoseconds += more.nanoseconds, at_scale += more.at_scale, serial += more.serial;
    return *this;
  }
  TimeSpan& operator-=(const TimeSpan& less) {
    nanoseconds -= less.nanoseconds, at_scale -= less.at_scale, serial -= less.serial;
    return *this;
  }
  friend TimeSpan operator+(TimeSpan a, const TimeSpan& b) { return a += b; }
};

/// The later of two points in time, each clock by itself.
inline TimeSpan later(const TimeSpan& a, const TimeSpan& b) {
  return {std::max(a.nanoseconds, b.nanoseconds), std::max(a.at_scale, b.at_scale), std::max(a.serial, b.serial)};
}

/// What a call pays once, however large it is.
inline TimeSpan once(double nanoseconds) { return {nanoseconds, nanoseconds / kScale, nanoseconds}; }

/// For a kernel whose warps all keep every scheduler of every multiprocessor busy, launch included: how long it takes
/// at the very least. Where counters watch, the time model tells instead (cost/time_model.h).
TimeSpan kernel_time(const DeviceProfile& profile, std::uint64_t warp_instructions, bool is_in_graph);

/// For `bytes` read and written in device memory.
TimeSpan memory_time(const DeviceProfile& profile, std::uint64_t bytes);

/// For a library's kernel that moves `bytes` through memory and computes: as long as the larger of both takes at full
/// rate, launch included.
TimeSpan library_time(const DeviceProfile& profile, std::uint64_t bytes, std::uint64_t fp32_operations,
                      std::uint64_t fp64_operations);

/// For `bytes` from one device to another.
TimeSpan peer_time(const DeviceProfile& profile, std::uint64_t bytes);

/// For `bytes` between host and device. Pageable memory goes through a buffer of the driver's.
TimeSpan transfer_time(const DeviceProfile& profile, std::uint64_t bytes, bool pageable);

/// That the host takes to pin `bytes` of its memory, and to let go of them again.
TimeSpan pin_time(const DeviceProfile& profile, std::uint64_t bytes);

/// That the host takes for cudaMalloc, and for cudaFree.
TimeSpan malloc_time(const DeviceProfile& profile);
TimeSpan free_time(const DeviceProfile& profile);

/// That the host takes to make a graph of so many nodes ready for its launches: to capture, instantiate and upload it.
TimeSpan instantiation_time(const DeviceProfile& profile, std::size_t nodes);

/// That the host takes to allocate in a stream, if the pool has to map `unmapped` bytes for it.
TimeSpan allocation_time(const DeviceProfile& profile, std::uint64_t unmapped);

}  // namespace vgpu::cudart
