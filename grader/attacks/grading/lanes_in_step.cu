// expect: vec_add_device: wrong; racecheck
// tries: to be right because the lanes of a warp are in step, in volatile accesses rather than plain ones
// says: right only in one order of execution

#include "vecadd.cuh"

// Every lane computes the sum of the lane beside it, and both swap.
static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  __shared__ volatile float sums[256];
  const unsigned beside = threadIdx.x ^ 1;
  const std::size_t first = std::size_t{blockIdx.x} * 256;
  sums[threadIdx.x] = 0;
  const float seen = sums[beside];
  if (first + beside < n) sums[beside] = seen + a[first + beside] + b[first + beside];
  const float sum = sums[threadIdx.x];
  if (first + threadIdx.x < n) c[first + threadIdx.x] = sum;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n != 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
