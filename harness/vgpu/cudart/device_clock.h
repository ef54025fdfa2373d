// The time that events tell, of what is no kernel or a kernel that nobody counts. Deterministic, unlike the time this
// process takes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/vgpu/cost/profile.h"

namespace vgpu::cudart {

/// What takes time. The last two are the host's: launching, and pinning memory.
enum class Busy : std::uint8_t { kKernel, kFill, kCopyWithin, kCopyIn, kCopyOut, kLaunching, kPinning };
inline constexpr std::size_t kBusyKinds = 7;

/// Nanoseconds for a kernel whose warps all keep every scheduler of every multiprocessor busy, launch included: how
/// long it takes at the very least. Where counters watch, the time model tells instead (cost/time_model.h).
double kernel_nanoseconds(const DeviceProfile& profile, std::uint64_t warp_instructions);

/// Nanoseconds for `bytes` read and written in device memory.
double memory_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes);

/// Nanoseconds for `bytes` from one device to another.
double peer_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes);

/// Nanoseconds for `bytes` between host and device. Pageable memory goes through a buffer of the driver's.
double transfer_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes, bool pageable);

/// Nanoseconds that the host takes to pin `bytes` of its memory, and to let go of them again.
double pin_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes);

}  // namespace vgpu::cudart
