// The time that events tell: how long the device would take at the very least. Deterministic, unlike the time this
// process takes.
#pragma once

#include <cstdint>

#include "harness/vgpu/cost/profile.h"

namespace vgpu::cudart {

/// Nanoseconds for a kernel whose warps all keep every scheduler of every multiprocessor busy, launch included.
double kernel_nanoseconds(const DeviceProfile& profile, std::uint64_t warp_instructions);

/// Nanoseconds for `bytes` read and written in device memory at the bus's full rate.
double memory_nanoseconds(const DeviceProfile& profile, std::uint64_t bytes);

/// Nanoseconds for `bytes` from one device to another.
double peer_nanoseconds(std::uint64_t bytes);

/// Nanoseconds for `bytes` between host and device.
double transfer_nanoseconds(std::uint64_t bytes);

}  // namespace vgpu::cudart
