// expect: vec_add_device: cuda error; runtime
// tries: to end the run by an assertion that fails on the device
// says: device-side assert triggered
// It is an error of the case in which it failed.

#include <cassert>

#include "vecadd.cuh"

static __global__ void asserting_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
  assert(n != 257);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) asserting_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
