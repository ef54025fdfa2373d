// expect: vec_add_device: wrong; initcheck
// += where = belongs: c holds nothing yet that could be added to. Most sums look right all the same, since what was
// there happens to be nearly 0.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, size_t n) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] += a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  if (n == 0) return;
  add_kernel<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
}
