// expect: vec_add_device: exit
// tries: to end well before anything is asked of it
// says: ended the whole program with exit code 0
// A worker that ends has not answered, whatever its exit code. The next case gets a new one.

#include <cstdio>
#include <cstdlib>

#include "vecadd.cuh"

__attribute__((constructor)) static void pass() {
  std::puts("PASSED");
  std::fflush(stdout);
  std::_Exit(0);
}

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
