// expect: vec_add_device: wrong
// tries: to be equal to everything by being not a number
// says: c[0] is nan
// What is not a number never passes.

#include "vecadd.cuh"

static __global__ void nan_kernel(float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = __int_as_float(0x7fffffff - static_cast<int>(i % 1024));
}

void vec_add_device(const float*, const float*, float* d_c, std::size_t n) {
  if (n > 0) nan_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_c, n);
}
