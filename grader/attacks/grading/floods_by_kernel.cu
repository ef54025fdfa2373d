// expect: vec_add_device: right
// tries: to drown the grader in what kernels print
// Kernels print into a buffer of a fixed size.

#include <cstdio>

#include "vecadd.cuh"

static __global__ void loud_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
  for (int line = 0; i < n && n == 257 && line < 1000; ++line)
    printf("<b>x-attack</b>\033[2J line %d of thread %d\n", line, static_cast<int>(i));
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) loud_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
