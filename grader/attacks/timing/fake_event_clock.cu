// expect: vec_add_device: refused by audit
// timed: never
// Defines the event functions, so that a harness in the same process would read a time of its choosing.

#include <cuda_runtime.h>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

// Under names of its own for the compiler, which has seen the true declarations, and under theirs for the linker.
extern "C" cudaError_t record(cudaEvent_t, cudaStream_t) __asm__("cudaEventRecord");
extern "C" cudaError_t elapsed_time(float* milliseconds, cudaEvent_t, cudaEvent_t) __asm__("cudaEventElapsedTime");
cudaError_t record(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t elapsed_time(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 0.001F;
  return cudaSuccess;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) { add(d_a, d_b, d_c, n); }
