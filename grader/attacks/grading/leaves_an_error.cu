// expect: vec_add_device: cuda error; runtime
// tries: to leave an error behind that is taken for somebody else's
// says: left a CUDA error behind
// Whatever error is there after a call is that call's.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
  add_kernel<<<1, 4096>>>(d_a, d_b, d_c, 0);  // more threads than a block may have
}
