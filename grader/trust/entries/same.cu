// The entry that is timed again and again: one element a thread, 12 bytes of device memory an element, in as many
// passes as make a call last two milliseconds, as cases of a competition do.
#include "vecadd.cuh"

constexpr int kPasses = 32;

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  for (int pass = 0; pass < kPasses && n > 0; ++pass)
    add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
