// expect: vec_add_device: cuda error; runtime
// 2048 threads a block, where 1024 are allowed: nothing is launched, and nobody asks.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, size_t n) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  if (n == 0) return;
  add_kernel<<<(n + 2047) / 2048, 2048>>>(d_a, d_b, d_c, n);
}
