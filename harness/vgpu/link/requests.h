// What requests carry.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace vgpu::link {

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
