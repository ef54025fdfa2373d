// expect: vec_add_device: wrong
// tries: to turn a failure into a success when the process ends
// says: wrong, everywhere
// No exit code of a worker means anything: outputs are what counts.

#include <cstdio>
#include <cstdlib>

#include "vecadd.cuh"

static void succeed() {
  std::puts("all cases right");
  std::fflush(stdout);
  std::_Exit(0);
}

static __global__ void first_kernel(const float* a, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i];
}

void vec_add_device(const float* d_a, const float*, float* d_c, std::size_t n) {
  static const int kIsRegistered = std::atexit(succeed);
  if (n > 0 && kIsRegistered == 0) first_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_c, n);
}
