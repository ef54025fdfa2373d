// expect: vec_add_device: wrong
// timed: wrong
// Computes one element of sixteen and lets the others have it, too: an average over all would look right.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static void add(const float* d_a, const float* d_b, float* d_c, std::size_t n, cudaStream_t stream = nullptr) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(d_a, d_b, d_c, n);
}

static __global__ void sample_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = 16 * (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float sum = a[i] + b[i];
  for (std::size_t j = i; j < i + 16 && j < n; ++j) c[j] = sum;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) sample_kernel<<<static_cast<unsigned>((n + 4095) / 4096), 256>>>(d_a, d_b, d_c, n);
}
