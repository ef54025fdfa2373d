// expect: vec_add_device: cuda error; memcheck
// tries: to read its inputs by ld.const, which is not counted and costs next to nothing
// says: which is not constant memory
// Constants have a cache of their own. On hardware, such a load reads whatever constant bank holds at this address.

#include "vecadd.cuh"

static __device__ float as_constant(const float* address) {
  float value;
  asm volatile("ld.const.f32 %0, [%1];" : "=f"(value) : "l"(address));
  return value;
}

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = as_constant(a + i) + as_constant(b + i);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
