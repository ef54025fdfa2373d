// expect: vec_add_device: wrong
// tries: to compute with eleven bits where twenty-four are asked for
// says: 392 of 1,023 wrong
// The bound is one unit in the last place of a float.

#include "vecadd.cuh"

static __device__ float rounded(float x) { return __int_as_float((__float_as_int(x) + 0x1000) & ~0x1fff); }

static __global__ void coarse_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = rounded(a[i]) + rounded(b[i]);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) coarse_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
