// What every function of the cuBLAS stand-in needs: handles, statuses, scalars, and vectors with increments.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "harness/vgpu/libraries/dense_algebra.h"
#include "harness/vgpu/libraries/device_work.h"
#include "harness/vgpu/libraries/scalar.h"

namespace vgpu::libraries {

/// As cublasStatus_t has them.
enum BlasStatus : int {
  kBlasSuccess = 0,
  kBlasNotInitialized = 1,
  kBlasAllocFailed = 3,
  kBlasInvalidValue = 7,
  kBlasExecutionFailed = 13,
  kBlasNotSupported = 15
};

struct BlasHandle {
  cudaStream_t stream = nullptr;
  int pointer_mode = 0;  ///< 0: scalars and results are the host's; 1: the device's
  int math_mode = 0, atomics_mode = 0, sm_count_target = 0;

  bool on_device() const { return pointer_mode != 0; }
};

/// One call: collects operands, and queues what is to be done with them.
class BlasCall {
 public:
  BlasCall(BlasHandle* handle, const char* function)
      : handle_(handle), work_(std::make_unique<DeviceWork>("cuBLAS", function)) {}

  DeviceWork& work() { return *work_; }

  /// alpha or beta.
  template <class T>
  struct Scalar : libraries::Scalar<T> {
    Scalar(BlasCall& call, const T* pointer) : libraries::Scalar<T>(call.work(), call.handle_->on_device(), pointer) {}
  };

  /// A vector of n elements; a negative increment counts from the end.
  template <class T>
  T* vector(const T* device, int n, int increment, unsigned access) {
    const auto stride = static_cast<std::size_t>(increment < 0 ? -std::int64_t{increment} : increment);
    return work_->operand(device, 1, static_cast<std::size_t>(std::max(n, 0)), stride, access);
  }
  template <class T>
  T* matrix(const T* device, int rows, int columns, int leading, unsigned access) {
    return work_->operand(device, static_cast<std::size_t>(std::max(rows, 0)),
                          static_cast<std::size_t>(std::max(columns, 0)), static_cast<std::size_t>(leading), access);
  }

  int queue(std::function<void()> compute) {
    const cudaError_t error = DeviceWork::queue(std::move(work_), handle_->stream, std::move(compute));
    if (error == cudaErrorMemoryAllocation) return kBlasAllocFailed;
    return error == cudaSuccess ? kBlasSuccess : kBlasExecutionFailed;
  }
  /// For a result that goes to the host, or into device memory if the handle says so.
  template <class R>
  int queue_result(R* result, std::function<R()> compute) {
    if (handle_->on_device()) {
      R* const copy = work_->operand(result, 1, 1, 1, kVgpuWrites);
      return queue([copy, compute = std::move(compute)] { *copy = compute(); });
    }
    const cudaStream_t stream = handle_->stream;
    const int status = queue([result, compute = std::move(compute)] { *result = compute(); });
    if (status != kBlasSuccess) return status;
    return wait_for(stream) == cudaSuccess ? kBlasSuccess : kBlasExecutionFailed;
  }

 private:
  BlasHandle* handle_;
  std::unique_ptr<DeviceWork> work_;
};

/// The half of a matrix that counts; of a Hermitian one, the diagonal's imaginary parts need not have been written.
inline unsigned half_of(int fill) { return fill == 1 ? kVgpuUpper : kVgpuLower; }

/// In the order of the index, whichever way it lies in memory.
template <class T>
void straighten(T* values, int n, int increment) {
  if (increment < 0 && n > 0) std::reverse(values, values + n);
}

/// Elements of a vector in order, for reading.
template <class T>
std::vector<T> in_order(const T* values, int n, int increment) {
  std::vector<T> all(values, values + std::max(n, 0));
  straighten(all.data(), static_cast<int>(all.size()), increment);
  return all;
}

template <class T>
double multiply_adds(double count) {
  return count * (kIsComplex<T> ? 8 : 2);
}

}  // namespace vgpu::libraries
