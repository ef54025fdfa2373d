// What the host's side of every lab needs: an error check, and scratch memory on the device. Each contract includes it.
#pragma once

#ifdef __CUDACC__  // contracts are read by compilers of C++, too

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

// Every CUDA function returns a status, and an error that nobody checks for shows up as a bug somewhere else. Wrap each
// call: CHECK(cudaMalloc(...)). On an error, it prints where and why, and returns from the enclosing function.
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

// The device's pool of memory. Taking memory from it and giving it back are operations in the default stream, like
// kernels: the host waits for neither, whereas cudaFree waits for all that was launched.
namespace pool {

// An array that returns to the pool at the end of its scope, also on the way out after an error:
//   pool::Scratch<float> d_sums;
//   CHECK(d_sums.allocate(blocks));
//   sum<<<blocks, threads>>>(d_in, d_sums.get(), n);
template <class T>
class Scratch {
 public:
  Scratch() = default;
  ~Scratch() {
    if (d_first_ != nullptr) cudaFreeAsync(d_first_, nullptr);
  }
  Scratch(Scratch&& other) noexcept : d_first_(std::exchange(other.d_first_, nullptr)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(d_first_, other.d_first_);
    return *this;
  }

  cudaError_t allocate(std::size_t count) { return cudaMallocAsync(&d_first_, count * sizeof(T), nullptr); }  // once
  T* get() const { return d_first_; }

 private:
  T* d_first_ = nullptr;
};

// From now on, the pool keeps what is given back: mapping memory anew for every call takes longer than many kernels.
inline cudaError_t keep_freed_memory() {
  int device = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t all = ~std::uint64_t{0};
  if (const cudaError_t status = cudaGetDevice(&device); status != cudaSuccess) return status;
  if (const cudaError_t status = cudaDeviceGetDefaultMemPool(&pool, device); status != cudaSuccess) return status;
  return cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all);
}

}  // namespace pool

#endif
