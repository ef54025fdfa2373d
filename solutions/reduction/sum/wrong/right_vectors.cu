// expect: sum: right
// Part 3 of the handout: four elements per load. Every warp adds its sum to the result.
// The differences next to it spoil it in one way each.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocks = 264;

__global__ void sum_kernel(const float* x, size_t n, float* sum) {
  const size_t thread = size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  const size_t vectors = n / 4;
  float mine = 0;
  for (size_t i = thread; i < vectors; i += size_t{kBlocks} * kThreadsPerBlock) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    mine += (v.x + v.y) + (v.z + v.w);
  }
  if (vectors * 4 + thread < n) mine += x[vectors * 4 + thread];
  for (int distance = 16; distance > 0; distance /= 2) mine += __shfl_xor_sync(0xffffffff, mine, distance);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

void sum(const float* d_x, size_t n, float* d_sum) {
  cudaMemset(d_sum, 0, sizeof(float));
  sum_kernel<<<kBlocks, kThreadsPerBlock>>>(d_x, n, d_sum);
}
