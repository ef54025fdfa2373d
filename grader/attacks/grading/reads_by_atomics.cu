// expect: vec_add_device: wrong; memcheck
// tries: to meet the goal for requests by atomics that add nothing, which are no load instructions
// says: , which is an input
// Goals bound reads, whatever instruction makes them; and an atomic on an input counts as a change of it.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = atomicAdd(const_cast<float*>(a) + i, 0.0F) + atomicAdd(const_cast<float*>(b) + i, 0.0F);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
