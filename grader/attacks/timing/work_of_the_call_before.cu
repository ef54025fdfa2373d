// expect: vec_add_device: wrong; misconception = "last partial block skipped"
// timed: wrong
// Does in each call the work of the call before, which is of no use to anybody by then.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  struct Call {
    const float *a, *b;
    float* c;
    std::size_t n;
  };
  static Call before{};
  static bool is_later = false;
  if (is_later && before.n == n) add(d_a, d_b, before.c, n);
  before = {d_a, d_b, d_c, n};
  is_later = true;
}
