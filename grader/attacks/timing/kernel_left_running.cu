// expect: vec_add_device: time limit; runtime
// timed: broken
// Leaves a kernel running on a stream of its own, to work between calls. The whole device is waited for, and no call is
// over before it is idle.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

static __global__ void stay(volatile float* c) {
  while (c[0] != 12345.0F) {
  }
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  add(d_a, d_b, d_c, n);
  if (n > 0) stay<<<1, 1, 0, stream>>>(d_c);
}
