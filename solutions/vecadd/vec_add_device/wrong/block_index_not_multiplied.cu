// expect: vec_add_device: wrong; racecheck; misconception = "block index not multiplied by the block size"
// Block 1 begins at element 1: the tail of the vector is never reached.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, size_t n) {
  const size_t i = blockIdx.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  if (n == 0) return;
  add_kernel<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
}
