// expect: vec_add_device: wrong; memcheck
// tries: to change the inputs until its own output is right for them
// says: changed its input d_a
// The right answer is computed from inputs that no submission ever had, and that they were changed is seen.

#include "vecadd.cuh"

static __global__ void clear_kernel(float* a, float* b, float* c, std::size_t n) {
  constexpr std::size_t kCleared = 64;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < kCleared && i < n) a[i] = b[i] = 0;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  float* const a = const_cast<float*>(d_a);
  float* const b = const_cast<float*>(d_b);
  clear_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(a, b, d_c, n);
}
