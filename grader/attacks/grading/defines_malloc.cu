// expect: vec_add_device: right
// tries: to stand between the worker and its memory
// The symbol stays in the submission: the worker goes on with the real one.

#include <cstdlib>

#include "vecadd.cuh"

extern "C" void* malloc(std::size_t) noexcept { std::abort(); }
extern "C" void free(void*) noexcept { std::abort(); }

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
