// expect: vec_add_device: crash
// tries: to run over the end of its stack into what lies there
// says: overflowed its stack
// What lies there is its own process.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static int descend(volatile int* above) {
  volatile int here[1024];
  here[0] = *above + 1;
  return descend(here) + here[0];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  volatile int first = static_cast<int>(n);
  descend(&first);
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
