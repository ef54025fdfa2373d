// How many blocks of a kernel fit on one multiprocessor, and what limits them.
#pragma once

#include <cstdint>

#include "harness/vgpu/cost/profile.h"

namespace vgpu {

/// The resources of one block of a kernel.
struct BlockResources {
  std::uint32_t threads = 0;
  std::uint32_t registers_per_thread = 0;
  std::uint32_t shared_bytes = 0;  ///< static and dynamic, without the system's share
};

enum class OccupancyLimit : std::uint8_t { kNone, kThreads, kBlocks, kRegisters, kShared };

struct Occupancy {
  std::uint32_t blocks_per_sm = 0;  ///< 0: the block does not fit at all
  OccupancyLimit limit = OccupancyLimit::kNone;
};

/// As cudaOccupancyMaxActiveBlocksPerMultiprocessor counts; the rules are those of the toolkit's cuda_occupancy.h.
Occupancy occupancy_of(const DeviceProfile& profile, const BlockResources& block);

}  // namespace vgpu
