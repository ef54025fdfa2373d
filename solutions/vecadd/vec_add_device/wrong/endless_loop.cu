// expect: vec_add_device: time limit; runtime
// A loop over every gridDim * blockDim-th element whose step is missing.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, size_t n) {
  size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  volatile float* sums = c;
  while (i < n) sums[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  if (n == 0) return;
  add_kernel<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
}
