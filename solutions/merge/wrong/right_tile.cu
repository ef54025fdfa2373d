// expect: merge_sorted: right
// Each block searches where its tile begins, and merges it in shared memory.
// The differences next to it spoil it in one way each.
#include "merge.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;

template <class Index>
__device__ Index co_rank(Index k, const int32_t* a, Index m, const int32_t* b, Index n) {
  Index low = k > n ? k - n : 0;
  Index high = k < m ? k : m;
  while (low < high) {
    const Index i = low + (high - low) / 2;
    if (a[i] <= b[k - 1 - i])
      low = i + 1;
    else
      high = i;
  }
  return low;
}

__global__ void merge_kernel(const int32_t* a, size_t m, const int32_t* b, size_t n, int32_t* out) {
  __shared__ int32_t tile[kTileItems];
  __shared__ size_t borders[2];
  const size_t first = size_t{blockIdx.x} * kTileItems;
  const size_t end = min(first + kTileItems, m + n);
  if (threadIdx.x == 0) borders[0] = co_rank(first, a, m, b, n);
  if (threadIdx.x == 32) borders[1] = co_rank(end, a, m, b, n);
  __syncthreads();
  const size_t a_first = borders[0];
  const int a_count = borders[1] - a_first;
  const int out_count = end - first;
  const int b_count = out_count - a_count;
  for (int x = threadIdx.x; x < a_count; x += kThreadsPerBlock) tile[x] = a[a_first + x];
  for (int x = threadIdx.x; x < b_count; x += kThreadsPerBlock) tile[a_count + x] = b[first - a_first + x];
  __syncthreads();

  const int32_t* a_tile = tile;
  const int32_t* b_tile = tile + a_count;
  const int mine = min(int(threadIdx.x) * kItemsPerThread, out_count);
  int i = co_rank(mine, a_tile, a_count, b_tile, b_count);
  int j = mine - i;
  int32_t items[kItemsPerThread];
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    if (mine + v >= out_count) break;
    const bool takes_a = j == b_count || (i < a_count && a_tile[i] <= b_tile[j]);
    items[v] = takes_a ? a_tile[i++] : b_tile[j++];
  }
  __syncthreads();
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v)
    if (mine + v < out_count) tile[mine + v] = items[v];
  __syncthreads();
  for (int x = threadIdx.x; x < out_count; x += kThreadsPerBlock) out[first + x] = tile[x];
}

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  if (m + n == 0) return;
  merge_kernel<<<(m + n + kTileItems - 1) / kTileItems, kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
}
