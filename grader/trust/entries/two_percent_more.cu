// same.cu with two percent more to do: one more launch, over a slice of a third of the data, which has left the L2
// cache by then. Two hundredths more bytes, and the same result.
#include "vecadd.cuh"

constexpr int kPasses = 32;
constexpr int kMorePercent = 2;

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  for (int pass = 0; pass < kPasses; ++pass) add(d_a, d_b, d_c, n);
  add(d_a, d_b, d_c, n * kPasses * kMorePercent / 100);
}
