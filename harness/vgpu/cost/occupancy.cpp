#include "harness/vgpu/cost/occupancy.h"

#include <algorithm>

namespace vgpu {
namespace {

constexpr std::uint32_t kWarp = 32;
constexpr std::uint32_t kNoLimit = ~0u;

std::uint32_t rounded_up(std::uint32_t value, std::uint32_t unit) {
  return unit == 0 ? value : (value + unit - 1) / unit * unit;
}

}  // namespace

Occupancy occupancy_of(const DeviceProfile& profile, const BlockResources& block) {
  if (block.threads == 0 || block.threads > profile.block_max_threads) return {};
  const std::uint32_t warps = (block.threads + kWarp - 1) / kWarp;

  const std::uint32_t by_blocks = profile.sm_max_blocks;
  const std::uint32_t by_threads = profile.sm_max_threads / kWarp / warps;

  // Registers are given out by the warp, from the sub-partition that the warp runs on.
  std::uint32_t by_registers = kNoLimit;
  if (block.registers_per_thread > 0) {
    const std::uint32_t per_warp = rounded_up(block.registers_per_thread * kWarp, profile.register_allocation_unit);
    const std::uint32_t warps_per_partition = profile.sm_registers / profile.sub_partitions / per_warp;
    const std::uint32_t fitting_warps = warps_per_partition * profile.sub_partitions;
    if (rounded_up(warps, profile.sub_partitions) * per_warp > profile.block_registers)
      return {0, OccupancyLimit::kRegisters};
    by_registers = fitting_warps / warps;
  }

  const std::uint32_t shared = rounded_up(block.shared_bytes + profile.reserved_shared, profile.shared_allocation_unit);
  if (block.shared_bytes > profile.block_shared_opt_in) return {0, OccupancyLimit::kShared};
  const std::uint32_t by_shared = shared == 0 ? kNoLimit : profile.sm_shared / shared;

  const std::uint32_t least = std::min({by_blocks, by_threads, by_registers, by_shared});
  OccupancyLimit limit = OccupancyLimit::kBlocks;
  if (least == by_shared) limit = OccupancyLimit::kShared;
  if (least == by_registers) limit = OccupancyLimit::kRegisters;
  if (least == by_threads) limit = OccupancyLimit::kThreads;
  return {least, limit};
}

}  // namespace vgpu
