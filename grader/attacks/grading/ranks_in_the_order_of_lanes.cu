// expect: vec_add_device: wrong
// tries: to know which lane an atomic serves first
// says: right only in one order of execution

#include "vecadd.cuh"

// A thread takes the element that its rank in the warp says, and stores the sum where its lane belongs.
static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  __shared__ unsigned next[8];
  const std::size_t first = std::size_t{blockIdx.x} * 256 + threadIdx.x / 32 * 32;
  if (threadIdx.x < 8) next[threadIdx.x] = 0;
  __syncthreads();
  const std::size_t from = first + atomicAdd(&next[threadIdx.x / 32], 1u);
  const std::size_t to = first + threadIdx.x % 32;
  if (from < n && to < n) c[to] = a[from] + b[from];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n != 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
