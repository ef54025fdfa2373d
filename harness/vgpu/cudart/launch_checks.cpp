#include "harness/vgpu/cudart/launch_checks.h"

#include <algorithm>

#include "harness/vgpu/cost/occupancy.h"

namespace vgpu {
namespace {

std::string by_extents(const Extent3& e) {
  return std::to_string(e.x) + " x " + std::to_string(e.y) + " x " + std::to_string(e.z);
}

BlockResources resources_of(const Kernel& kernel, const KernelLimits& limits, const LaunchShape& shape) {
  return {static_cast<std::uint32_t>(shape.block.count()), limits.registers,
          kernel.shared_bytes() + shape.dynamic_shared};
}

}  // namespace

std::string launch_problem(const DeviceProfile& profile, const Kernel& kernel, const KernelLimits& limits,
                           const LaunchShape& shape) {
  const Extent3& block = shape.block;
  const Extent3& grid = shape.grid;
  if (block.count() == 0) return "the block is empty (" + by_extents(block) + " threads)";
  if (grid.count() == 0) return "the grid is empty (" + by_extents(grid) + " blocks)";
  const std::uint32_t most = std::min(limits.max_threads, profile.block_max_threads);
  if (block.count() > most)
    return "the block has " + std::to_string(block.count()) + " threads (" + by_extents(block) + "); at most " +
           std::to_string(most) + " are allowed" +
           (most < profile.block_max_threads ? " by the kernel's __launch_bounds__" : "");
  if (block.x > profile.block_max_extent[0] || block.y > profile.block_max_extent[1] ||
      block.z > profile.block_max_extent[2])
    return "the block is " + by_extents(block) + " threads; at most " +
           by_extents({profile.block_max_extent[0], profile.block_max_extent[1], profile.block_max_extent[2]}) +
           " are allowed";
  if (grid.x > profile.grid_max_extent[0] || grid.y > profile.grid_max_extent[1] || grid.z > profile.grid_max_extent[2])
    return "the grid is " + by_extents(grid) + " blocks; at most " +
           by_extents({profile.grid_max_extent[0], profile.grid_max_extent[1], profile.grid_max_extent[2]}) +
           " are allowed";
  if (shape.dynamic_shared > limits.max_dynamic_shared) {
    const std::uint32_t most =
        profile.block_shared_opt_in - std::min(profile.block_shared_opt_in, kernel.shared_bytes());
    const std::string wish =
        "the launch requests " + std::to_string(shape.dynamic_shared) + " bytes of dynamic shared memory; ";
    if (shape.dynamic_shared > most)
      return wish + "a block of this kernel can have " + std::to_string(most) + " at most";
    return wish + std::to_string(limits.max_dynamic_shared) +
           " are allowed (cudaFuncSetAttribute with cudaFuncAttributeMaxDynamicSharedMemorySize raises the limit to " +
           std::to_string(most) + ")";
  }
  const ptx::Function& function = kernel.function();
  const std::uint32_t* required = function.required_threads;
  if (required[0] != 0 && (block.x != required[0] || block.y != required[1] || block.z != required[2]))
    return "the kernel requires blocks of exactly " + by_extents({required[0], required[1], required[2]}) + " threads";
  const Occupancy fits = occupancy_of(profile, resources_of(kernel, limits, shape));
  if (fits.blocks_per_sm == 0)
    return "a block of " + std::to_string(block.count()) + " threads with " + std::to_string(limits.registers) +
           " registers each does not fit on a multiprocessor";
  if (shape.cooperative && grid.count() > std::uint64_t{fits.blocks_per_sm} * profile.sm_count)
    return "a cooperative grid of " + std::to_string(grid.count()) + " blocks; " +
           std::to_string(std::uint64_t{fits.blocks_per_sm} * profile.sm_count) + " fit on the device at the same time";
  return {};
}

std::string cluster_problem(const DeviceProfile& profile, const Kernel& kernel, const KernelLimits& limits,
                            const LaunchShape& shape) {
  const Extent3 &cluster = shape.cluster, &grid = shape.grid;
  const std::uint32_t* const required = limits.required_cluster;
  const ptx::Function& function = kernel.function();
  if (!shape.has_cluster)
    return function.needs_cluster ? "the kernel must be launched with a cluster dimension, but the launch has none"
                                  : "";
  if (required[0] != 0 && (cluster.x != required[0] || cluster.y != required[1] || cluster.z != required[2]))
    return "the kernel requires clusters of exactly " + by_extents({required[0], required[1], required[2]}) +
           " blocks; the launch asks for " + by_extents(cluster);
  if (cluster.count() == 0) return "the cluster is empty (" + by_extents(cluster) + " blocks)";
  const std::uint32_t most =
      function.max_cluster != 0 ? std::min(function.max_cluster, limits.max_cluster) : limits.max_cluster;
  const std::uint32_t widest = std::max({cluster.x, cluster.y, cluster.z});
  if (widest > most || cluster.count() > most)
    return "the cluster is " + by_extents(cluster) + " blocks; at most " + std::to_string(most) + " are allowed" +
           (most == function.max_cluster ? " by the kernel's __launch_bounds__"
            : most < kPortableCluster    ? " on this device"
            : most == kPortableCluster && widest <= kLargestCluster && cluster.count() <= kLargestCluster
                ? " (cudaFuncSetAttribute with cudaFuncAttributeNonPortableClusterSizeAllowed allows " +
                      std::to_string(kLargestCluster) + ")"
                : "");
  if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
    return "the grid of " + by_extents(grid) + " blocks cannot be divided into clusters of " + by_extents(cluster);
  const std::uint64_t fit =
      std::uint64_t{occupancy_of(profile, resources_of(kernel, limits, shape)).blocks_per_sm} * profile.sm_count;
  if (cluster.count() > fit)
    return "a cluster of " + std::to_string(cluster.count()) + " blocks; " + std::to_string(fit) +
           " fit on the device at the same time";
  return {};
}

std::string refused_launch_advice(const LaunchShape& shape) {
  constexpr std::uint64_t kWarp = 32, kLargestBlock = 1024;
  const bool could_be_a_block = shape.grid.count() >= kWarp && shape.grid.count() <= kLargestBlock;
  return could_be_a_block && shape.block.count() > kLargestBlock
             ? "<<<blocks, threads per block>>>: are the two in that order?"
             : "";
}

std::uint32_t resident_blocks(const DeviceProfile& profile, const Kernel& kernel, const KernelLimits& limits,
                              const LaunchShape& shape) {
  const auto size = static_cast<std::uint32_t>(shape.cluster.count());
  const std::uint32_t fit =
      occupancy_of(profile, resources_of(kernel, limits, shape)).blocks_per_sm * profile.sm_count / size * size;
  return std::max(1u, fit);
}

}  // namespace vgpu
