// Work that one of these libraries does on the host, queued in a stream of the virtual GPU's like a kernel.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/vgpu/cudart/library_work.h"

namespace vgpu::libraries {

template <class T>
struct RealOf {
  using Type = T;
  static constexpr bool kIsComplex = false;
};
template <class T>
struct RealOf<std::complex<T>> {
  using Type = T;
  static constexpr bool kIsComplex = true;
};
template <class T>
using Real = typename RealOf<T>::Type;
template <class T>
inline constexpr bool kIsComplex = RealOf<T>::kIsComplex;

class DeviceWork {
 public:
  /// Such as "cuBLAS" and "cublasSgemm".
  DeviceWork(const char* library, const std::string& name);

  /// `count` columns of `height` elements, each `stride` elements behind the one before, in device memory. Returns
  /// where their copy will be while the work is done, one column right behind the other; null if it is empty.
  template <class T>
  T* operand(const T* device, std::size_t height, std::size_t count, std::size_t stride, unsigned access) {
    return static_cast<T*>(add(device, height * sizeof(T), count, stride * sizeof(T), {0}, access));
  }
  /// The same for several such pieces, which begin at `offsets`, in elements; their copies follow one another.
  template <class T>
  T* operand(const T* device, std::size_t height, std::size_t count, std::size_t stride,
             std::vector<std::size_t> offsets, unsigned access) {
    for (std::size_t& offset : offsets) offset *= sizeof(T);
    return static_cast<T*>(add(device, height * sizeof(T), count, stride * sizeof(T), offsets, access));
  }

  /// Floating-point operations, and bytes beyond those of the operands.
  template <class T>
  void computes(double operations) {
    (std::is_same_v<Real<T>, double> ? work_.fp64 : work_.fp32) +=
        static_cast<unsigned long long>(std::clamp(operations, 0.0, 1e18));  // of any arguments at all
  }
  void moves(double bytes) { work_.bytes += static_cast<unsigned long long>(bytes); }

  /// While it is done: a GPU would have touched memory that it must not.
  void complain(const std::string& sentence);

  /// Queues it. `compute` is called when its turn comes; what it needs besides operands it has to own.
  static cudaError_t queue(std::unique_ptr<DeviceWork> work, cudaStream_t stream, std::function<void()> compute);

 private:
  void* add(const void* device, std::size_t width, std::size_t height, std::size_t pitch,
            const std::vector<std::size_t>& offsets, unsigned access);
  static void compute(void* work);

  vgpuLibraryWork work_{};
  std::vector<vgpuOperand> operands_;
  std::vector<std::unique_ptr<std::byte[]>> copies_;
  std::function<void()> compute_;
  char complaint_[256] = {};
  bool is_done_ = false;
};

/// Waits for a stream: results for the host are there then.
cudaError_t wait_for(cudaStream_t stream);
/// Waits for all streams of the current device.
cudaError_t wait_for_device();

/// Copies between host and device, as cudaMemcpy2D and cudaMemcpy2DAsync do.
cudaError_t copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind);
cudaError_t copy_rows_in(cudaStream_t stream, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind);

/// Ends the program: a function that a library of NVIDIA's has, and ours has not, was called.
[[noreturn]] void refuse_function(const char* library, const char* function, const char* why = "");

}  // namespace vgpu::libraries

/// What programs call.
#define VGPU_LIBRARY_API extern "C" __attribute__((visibility("default")))
