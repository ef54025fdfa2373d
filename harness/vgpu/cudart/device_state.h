// One virtual device: its profile, its memory, what was loaded onto it, and whether a kernel has broken it.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/cost/profile.h"
#include "harness/vgpu/cudart/device_images.h"
#include "harness/vgpu/cudart/interprocess.h"
#include "harness/vgpu/cudart/launch_checks.h"
#include "harness/vgpu/cudart/timeline.h"
#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/ptx/machine_code.h"

namespace vgpu::cudart {

/// A program's fat binary as registered: PTX for this device, and what ptxas said of its kernels.
struct DeviceImage {
  std::unique_ptr<LoadedModule> module;  ///< null until first used
  std::map<std::string, ptx::KernelResources> resources;
  /// Of kernels that ptxas has said nothing of, once asked for.
  std::map<std::string, std::uint32_t> estimated_registers, occupied_registers;
  std::string problem;  ///< why it cannot be loaded; empty if it can
  cudaError_t error = cudaSuccess;
};

struct DeviceState {
  int number = 0;
  DeviceProfile profile;
  std::unique_ptr<AddressSpace> memory;
  SharedMemory shared;
  DeviceImages images;
  Timeline timeline;
  cudaError_t sticky = cudaSuccess;  ///< set by a kernel that failed; every later call returns it
  std::uint64_t limits[8] = {};
  std::uint64_t heap_used = 0;
  std::uint64_t next_grid_id = 1;
  std::uint64_t instructions = 0;  ///< of warps, executed so far; each launch counts for some more
  cudaMemPool_t default_pool = nullptr, current_pool = nullptr, graph_pool = nullptr;  ///< null until asked for
  cudaFuncCache cache_config = cudaFuncCachePreferNone;
  std::uint32_t leaks_reported_up_to = 0;  ///< serial number of an allocation
};

}  // namespace vgpu::cudart
