// expect: vec_add_device: wrong; memcheck
// The sum is kept in b and copied from there: c is right, and the caller's b is gone.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, float* b, float* c, size_t n) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  b[i] = a[i] + b[i];
  c[i] = b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  if (n > 0) add_kernel<<<(n + 255) / 256, 256>>>(d_a, const_cast<float*>(d_b), d_c, n);
}
