// expect: vec_add_device: wrong
// timed: wrong
// Works in the first call, and trusts that nobody looks at the outputs of the calls that are timed.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static bool has_worked = false;
  if (!has_worked) add(d_a, d_b, d_c, n);
  has_worked = true;
}
