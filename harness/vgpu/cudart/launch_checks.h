// Whether a launch may begin at all: the driver's checks.
#pragma once

#include <cstdint>
#include <string>

#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/machine/kernel.h"
#include "harness/vgpu/machine/launch.h"

namespace vgpu {

/// The resources and limits of a kernel beyond its code.
struct KernelLimits {
  std::uint32_t registers = 0;    ///< of a thread
  std::uint32_t max_threads = 0;  ///< of a block: __launch_bounds__, else the device's
  std::uint32_t max_dynamic_shared =
      0;  ///< cudaFuncAttributeMaxDynamicSharedMemorySize, else what is left of the block's 48 KiB
  std::uint32_t max_cluster = 1;                  ///< blocks: cudaFuncAttributeNonPortableClusterSizeAllowed
  std::uint32_t required_cluster[3] = {0, 0, 0};  ///< __cluster_dims__, or attributes of the same; 0: none
};

/// Blocks of a cluster: what every device that has clusters can run, and what Hopper can.
inline constexpr std::uint32_t kPortableCluster = 8, kLargestCluster = 16;

/// Empty if the launch is fine, otherwise a sentence that says what is too large and what is allowed.
std::string launch_problem(const DeviceProfile& profile, const Kernel& kernel, const KernelLimits& limits,
                           const LaunchShape& shape);

/// The same of its clusters, `shape` being fine otherwise.
std::string cluster_problem(const DeviceProfile& profile, const Kernel& kernel, const KernelLimits& limits,
                            const LaunchShape& shape);

/// What to do about a launch that is refused; empty where the sentence says it all.
std::string refused_launch_advice(const LaunchShape& shape);

/// Blocks that fit on the whole device at the same time, of whole clusters; at least 1.
std::uint32_t resident_blocks(const DeviceProfile& profile, const Kernel& kernel, const KernelLimits& limits,
                              const LaunchShape& shape);

}  // namespace vgpu
