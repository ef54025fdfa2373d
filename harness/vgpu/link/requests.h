// What requests carry, and the version of it all.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vgpu::link {

/// Of a program's runtime and of the process of its devices: they are built together, and this catches a stale one.
inline constexpr std::uint32_t kVersion = 1;

/// Read, Write. The rows lie in staging memory one behind the other.
struct RowsRequest {
  std::uint64_t address, pitch, width, height;
};

/// Share, Unshare, CloseAll, Forget, Open, Close.
struct RangeRequest {
  std::uint64_t address, bytes;
  std::uint64_t offset;  ///< of Open: in the file
};

struct HostFunctionRequest {
  cudaHostFn_t function;
  void* data;
};

struct CallbackRequest {
  cudaStreamCallback_t function;
  cudaStream_t stream;
  cudaError_t status;
  void* data;
};

}  // namespace vgpu::link
