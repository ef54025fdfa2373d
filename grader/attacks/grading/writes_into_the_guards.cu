// expect: vec_add_device: wrong; memcheck
// tries: to reach what lies beside its output, in case that is what is looked at
// says: past the end of d_c
// On either side of every array lies a band whose bytes are looked at.

#include "vecadd.cuh"

static __global__ void beside_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
  if (i == 0) c[n] = c[-1] = 0;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) beside_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
