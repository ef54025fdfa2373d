// expect: arg_max: right
// Two kernels and no atomics: each block's pair goes into scratch memory, and a single block compares these. Blocks are
// given neighbouring elements, and nothing is packed.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 128;
constexpr int kBlocks = kThreadsPerBlock;

struct Pair {
  int64_t index;
  int32_t value;
};

__device__ bool goes_before(Pair a, Pair b) {
  if (a.index < 0 || b.index < 0) return a.index >= 0;
  return a.value != b.value ? a.value > b.value : a.index < b.index;
}

__device__ Pair best_of_block(Pair mine) {
  __shared__ Pair best[kThreadsPerBlock];
  const int t = threadIdx.x;
  best[t] = mine;
  for (int distance = kThreadsPerBlock / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (t < distance && goes_before(best[t + distance], best[t])) best[t] = best[t + distance];
  }
  return best[t];  // thread 0's is the block's
}

__global__ void of_blocks(const int32_t* x, size_t n, Pair* pairs) {
  const size_t share = (n + kBlocks - 1) / kBlocks;
  const size_t end = min(n, (blockIdx.x + 1) * share);
  Pair mine = {-1, 0};
  for (size_t i = blockIdx.x * share + threadIdx.x; i < end; i += kThreadsPerBlock)
    if (goes_before({int64_t(i), x[i]}, mine)) mine = {int64_t(i), x[i]};
  mine = best_of_block(mine);
  if (threadIdx.x == 0) pairs[blockIdx.x] = mine;
}

__global__ void of_all(const Pair* pairs, int64_t* index) {
  const Pair best = best_of_block(pairs[threadIdx.x]);
  if (threadIdx.x == 0) *index = best.index;
}

void arg_max(const int32_t* d_x, size_t n, int64_t* d_index) {
  Pair* d_pairs = nullptr;
  cudaMalloc(&d_pairs, kBlocks * sizeof(Pair));
  of_blocks<<<kBlocks, kThreadsPerBlock>>>(d_x, n, d_pairs);
  of_all<<<1, kThreadsPerBlock>>>(d_pairs, d_index);
  cudaFree(d_pairs);
}
