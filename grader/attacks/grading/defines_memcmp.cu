// expect: vec_add_device: wrong; misconception = "subtracted"
// tries: to have whoever compares bytes in its process find them equal
// says: wrong, everywhere
// Nobody compares anything there, and nothing of a submission but the contract is seen outside of it.

#include "vecadd.cuh"

extern "C" int memcmp(const void*, const void*, std::size_t) noexcept { return 0; }
extern "C" int bcmp(const void*, const void*, std::size_t) noexcept { return 0; }

static __global__ void difference_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] - b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) difference_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
