// What a program's fat binaries have for a device: the PTX of its translation units, and what ptxas said of its
// kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/vgpu/cudart/registered_code.h"
#include "harness/vgpu/ptx/linker.h"
#include "harness/vgpu/ptx/machine_code.h"

namespace vgpu::cudart {

struct ProgramCode {
  std::vector<ptx::Unit> units;
  std::map<std::string, ptx::KernelResources> resources;  ///< by kernel; empty without machine code
  std::string problem;                                    ///< why it cannot be run; empty if it can
  cudaError_t error = cudaSuccess;
};

/// `architecture` is the device's: 90 for compute capability 9.0.
ProgramCode read_program_code(const RegisteredCode& registered, std::uint32_t architecture);

}  // namespace vgpu::cudart
