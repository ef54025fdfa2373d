// expect: sum: right
// The block that ends last adds up the sums of all blocks, in their order.
// The differences next to it spoil it in one way each.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocks = 128;

__device__ float sums[kBlocks];
__device__ unsigned done = 0;

__device__ float block_sum(float* partial, float mine) {
  const int t = threadIdx.x;
  partial[t] = mine;
  __syncthreads();
  for (int distance = kThreadsPerBlock / 2; distance > 0; distance /= 2) {
    if (t < distance) partial[t] += partial[t + distance];
    __syncthreads();
  }
  return partial[0];
}

__global__ void sum_kernel(const float* x, size_t n, float* sum) {
  __shared__ float partial[kThreadsPerBlock];
  __shared__ bool is_last;
  float mine = 0;
  for (size_t i = blockIdx.x * kThreadsPerBlock + threadIdx.x; i < n; i += kBlocks * kThreadsPerBlock) mine += x[i];
  const float total = block_sum(partial, mine);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = total;
    __threadfence();
    is_last = atomicAdd(&done, 1) == kBlocks - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  const float all = block_sum(partial, threadIdx.x < kBlocks ? sums[threadIdx.x] : 0);
  if (threadIdx.x == 0) {
    *sum = all;
    done = 0;
  }
}

void sum(const float* d_x, size_t n, float* d_sum) { sum_kernel<<<kBlocks, kThreadsPerBlock>>>(d_x, n, d_sum); }
