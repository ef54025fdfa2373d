// A plain copy within device memory: what it takes is the bandwidth roof of the moment.
#pragma once

#include <cstdint>
#include <string>

#include "harness/worker/runtime.h"

namespace lanewise {

class DeviceCopy {
 public:
  explicit DeviceCopy(const CudaRuntime& runtime) : runtime_(runtime) {}
  ~DeviceCopy() { release(); }
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  /// Allocates both ends, unless they are as long already. Returns a sentence, empty on success.
  std::string prepare(std::uint64_t bytes);

  /// Starts the copy, which the device may still be busy with afterwards.
  cudaError_t start() { return runtime_.copy(to_, from_, bytes_, cudaMemcpyDeviceToDevice); }

 private:
  void release();

  const CudaRuntime& runtime_;
  void* from_ = nullptr;
  void* to_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace lanewise
