// A launch as it crosses.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vgpu::link {

/// Followed by as many cudaLaunchAttributes and, if `has_arguments`, by the kernel's arguments, one behind the other.
struct LaunchMessage {
  enum Manner : std::uint8_t {
    kPlain,
    kCooperative,
    kExtended,         ///< cudaLaunchKernelExC
    kNoConfiguration,  ///< the same with a null pointer for its configuration
  };
  Manner manner;
  std::uint8_t has_arguments;  ///< otherwise they are read from where `arguments` points to pointers to them
  std::uint32_t attribute_count;
  const void* kernel;  ///< a host function or a handle
  dim3 grid, block;
  std::uint64_t shared;
  cudaStream_t stream;
  void** arguments;
};

}  // namespace vgpu::link
