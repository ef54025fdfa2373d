// expect: vec_add_device: refused by audit
// tries: to use a library that the task forbids, by a path that does not begin with its name
// says: uses the library cub
// The compiler says which files it read, whatever a source calls them.

#if __has_include(<nv/../cub/util_arch.cuh>)
#include <nv/../cub/util_arch.cuh>
#endif

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
