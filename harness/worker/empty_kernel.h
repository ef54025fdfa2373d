// A kernel that does nothing: what it takes tells whether the device is busy with another process's work.
#pragma once

#include "harness/worker/runtime.h"

namespace lanewise {

class EmptyKernel {
 public:
  explicit EmptyKernel(const CudaRuntime& runtime) : runtime_(runtime) {}

  /// Seconds from its launch until the device has run it: as long again as kernels of others run, or until the device
  /// takes turns. 0 if it cannot be launched.
  double seconds();

 private:
  bool load();

  const CudaRuntime& runtime_;
  CUfunction function_ = nullptr;
  bool is_impossible_ = false;
};

}  // namespace lanewise
