// expect: sum: right
// Part 2 of the handout: a fixed grid, and shuffles instead of the tree.
// The differences next to it spoil it in one way each.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocks = 264;

__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffff, value, distance);
  return value;
}

__global__ void sum_kernel(const float* x, size_t n, float* sum) {
  __shared__ float of_warp[kThreadsPerBlock / 32];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  float mine = 0;
  for (size_t i = size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x; i < n; i += size_t{kBlocks} * kThreadsPerBlock)
    mine += x[i];
  mine = warp_sum(mine);
  if (lane == 0) of_warp[warp] = mine;
  __syncthreads();
  if (warp == 0) mine = warp_sum(lane < kThreadsPerBlock / 32 ? of_warp[lane] : 0);
  if (threadIdx.x == 0) atomicAdd(sum, mine);
}

void sum(const float* d_x, size_t n, float* d_sum) {
  cudaMemset(d_sum, 0, sizeof(float));
  sum_kernel<<<kBlocks, kThreadsPerBlock>>>(d_x, n, d_sum);
}
