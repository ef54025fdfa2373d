// expect: merge_sort: wrong; misconception = "tiles sorted, not merged"
// Blocks sort their tiles, and that is all.
#include <climits>

#include "merge_sort.cuh"

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

__device__ void merge_segment(const int32_t* a, int m, const int32_t* b, int n, int first, int32_t* items) {
  int i = co_rank(first, a, m, b, n);
  int j = first - i;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    if (first + v >= m + n) break;
    const bool takes_a = j == n || (i < m && a[i] <= b[j]);
    items[v] = takes_a ? a[i++] : b[j++];
  }
}

__device__ void sort_items(int32_t* items) {
#pragma unroll
  for (int round = 0; round < kItemsPerThread; ++round)
#pragma unroll
    for (int v = round % 2; v + 1 < kItemsPerThread; v += 2) {
      const int32_t smaller = min(items[v], items[v + 1]);
      items[v + 1] = max(items[v], items[v + 1]);
      items[v] = smaller;
    }
}

__global__ void sort_tiles(const int32_t* in, int32_t* out, size_t n) {
  __shared__ int32_t keys[kTileItems];
  const int first = threadIdx.x * kItemsPerThread;
  const size_t tile = size_t{blockIdx.x} * kTileItems;
  const int count = min(n - tile, size_t{kTileItems});
  for (int x = threadIdx.x; x < kTileItems; x += kThreadsPerBlock) keys[x] = x < count ? in[tile + x] : INT_MAX;
  __syncthreads();

  int32_t items[kItemsPerThread];
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) items[v] = keys[first + v];
  sort_items(items);
  for (int run = kItemsPerThread; run < kTileItems; run *= 2) {
    __syncthreads();
#pragma unroll
    for (int v = 0; v < kItemsPerThread; ++v) keys[first + v] = items[v];
    __syncthreads();
    const int pair = first / (2 * run) * (2 * run);
    merge_segment(keys + pair, run, keys + pair + run, run, first - pair, items);
  }
  __syncthreads();
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) keys[first + v] = items[v];
  __syncthreads();
  for (int x = threadIdx.x; x < count; x += kThreadsPerBlock) out[tile + x] = keys[x];
}

void merge_sort(const int32_t* d_in, int32_t* d_out, size_t n) {
  if (n == 0) return;
  sort_tiles<<<(n + kTileItems - 1) / kTileItems, kThreadsPerBlock>>>(d_in, d_out, n);
}
