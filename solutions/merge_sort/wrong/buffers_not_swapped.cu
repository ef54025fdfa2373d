// expect: merge_sort: wrong; misconception = "every level reads the tiles"
// Every thread merges eight keys in global memory, and what a level wrote is not what the next one reads.
#include "merge_sort.cuh"

constexpr int kThreadsPerBlock = 256, kItemsPerThread = 8, kTileItems = kThreadsPerBlock * kItemsPerThread;

template <class Index>
__device__ Index co_rank(Index k, const int32_t* a, Index m, const int32_t* b, Index n) {
  Index low = k > n ? k - n : 0, high = min(k, m);
  while (low < high) {
    const Index i = low + (high - low) / 2;
    if (a[i] <= b[k - 1 - i])
      low = i + 1;
    else
      high = i;
  }
  return low;
}

template <class Index>
__device__ void merge_segment(const int32_t* a, Index m, const int32_t* b, Index n, Index first,
                              int32_t (&items)[kItemsPerThread]) {
  Index i = co_rank(first, a, m, b, n), j = first - i;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v)
    if (first + v < m + n) items[v] = j == n || (i < m && a[i] <= b[j]) ? a[i++] : b[j++];
}

__global__ void sort_tiles(const int32_t* in, int32_t* out, size_t n) {
  __shared__ int32_t keys[kTileItems];
  const size_t tile = size_t{blockIdx.x} * kTileItems;
  const int t = threadIdx.x, count = static_cast<int>(min(n - tile, size_t{kTileItems}));
  for (int x = t; x < kTileItems; x += kThreadsPerBlock) keys[x] = x < count ? in[tile + x] : INT32_MAX;
  __syncthreads();
  int32_t items[kItemsPerThread];
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) items[v] = keys[kItemsPerThread * t + v];
#pragma unroll
  for (int round = 0; round < kItemsPerThread; ++round)
#pragma unroll
    for (int v = round % 2; v + 1 < kItemsPerThread; v += 2) {
      const int32_t least = min(items[v], items[v + 1]);
      items[v + 1] = max(items[v], items[v + 1]);
      items[v] = least;
    }
  for (int run = kItemsPerThread;; run *= 2) {
#pragma unroll
    for (int v = 0; v < kItemsPerThread; ++v) keys[kItemsPerThread * t + v] = items[v];
    __syncthreads();
    if (run == kTileItems) break;
    const int first = kItemsPerThread * t, pair = first / (2 * run) * (2 * run);
    merge_segment(keys + pair, run, keys + pair + run, run, first - pair, items);
    __syncthreads();
  }
  for (int x = t; x < count; x += kThreadsPerBlock) out[tile + x] = keys[x];
}

__global__ void merge_level(const int32_t* in, int32_t* out, size_t n, size_t run) {
  const size_t place = (size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) * kItemsPerThread;
  const size_t pair = place / (2 * run) * (2 * run);
  if (place >= n) return;
  const size_t m = min(run, n - pair), n_of_b = min(run, n - pair - m);
  int32_t items[kItemsPerThread];
  merge_segment<size_t>(in + pair, m, in + pair + m, n_of_b, place - pair, items);
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v)
    if (place + v < n) out[place + v] = items[v];
}

void merge_sort(const int32_t* d_in, int32_t* d_out, size_t n) {
  if (n == 0) return;
  const size_t tiles = (n + kTileItems - 1) / kTileItems;
  const unsigned blocks = static_cast<unsigned>(tiles);
  int levels = 0;
  while ((size_t{1} << levels) < tiles) ++levels;
  pool::Scratch<int32_t> scratch;
  CHECK(scratch.allocate(n));
  int32_t* d_from = levels % 2 == 0 ? d_out : scratch.get();
  int32_t* d_to = levels % 2 == 0 ? scratch.get() : d_out;
  sort_tiles<<<blocks, kThreadsPerBlock>>>(d_in, d_from, n);
  CHECK(cudaGetLastError());
  for (size_t run = kTileItems; run < n; run *= 2) {
    merge_level<<<blocks, kThreadsPerBlock>>>(d_from, d_to, n, run);
    CHECK(cudaGetLastError());
  }
}
