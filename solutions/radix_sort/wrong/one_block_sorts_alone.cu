// expect: radix_sort: right; under review
// One block sorts alone, and a small array three times over: so the time it takes seems to be the same whatever the
// size, as that of a kernel would be that gives more keys to more blocks.
#include "radix_sort.cuh"

constexpr int kThreads = 1024;

__device__ uint32_t ones_in_threads_before(uint32_t ones, uint32_t& all) {
  __shared__ uint32_t of_warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t through = ones;
  for (int stride = 1; stride < 32; stride *= 2) {
    const uint32_t left = __shfl_up_sync(~0u, through, stride);
    if (lane >= stride) through += left;
  }
  if (lane == 31) of_warps[warp] = through;
  __syncthreads();
  uint32_t before = 0;
  all = 0;
  for (int other = 0; other < 32; ++other) {
    if (other == warp) before = all;
    all += of_warps[other];
  }
  __syncthreads();
  return before + through - ones;
}

__global__ void sort_kernel(const uint32_t* in, uint32_t* out, uint32_t* scratch, size_t n, int times) {
  const size_t share = (n + kThreads - 1) / kThreads;
  const size_t begin = min(n, threadIdx.x * share), end = min(n, begin + share);
  const uint32_t* from = in;
  for (int bit = 0; bit < 32; ++bit) {
    uint32_t* const to = bit % 2 == 0 ? scratch : out;
    for (int again = 0; again < times; ++again) {
      uint32_t ones = 0, all_ones;
      for (size_t i = begin; i < end; ++i) ones += from[i] >> bit & 1;
      const uint32_t ones_before = ones_in_threads_before(ones, all_ones);
      size_t zero_at = begin - ones_before, one_at = n - all_ones + ones_before;
      for (size_t i = begin; i < end; ++i) to[(from[i] >> bit & 1) != 0 ? one_at++ : zero_at++] = from[i];
      __syncthreads();
    }
    from = to;
  }
}

void radix_sort(const uint32_t* d_in, uint32_t* d_out, size_t n) {
  if (n == 0) return;
  uint32_t* scratch = nullptr;
  if (cudaMalloc(&scratch, n * sizeof(uint32_t)) != cudaSuccess) return;
  sort_kernel<<<1, kThreads>>>(d_in, d_out, scratch, n, n < 50000 ? 3 : 1);
  cudaFree(scratch);
}
