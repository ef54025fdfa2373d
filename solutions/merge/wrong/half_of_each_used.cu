// expect: merge_sorted: wrong; memcheck
// A tile of output is taken to use up half a tile of A and half a tile of B, whatever the keys are.
#include "merge.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kTilesPerSection = 8;
constexpr int kSectionItems = kTileItems * kTilesPerSection;

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

__device__ void copy_tile(const int32_t* from, int32_t* to, int count) {
  for (int x = static_cast<int>(threadIdx.x); x < count; x += kThreadsPerBlock) to[x] = from[x];
}

__device__ int merge_segment(const int32_t* a, int m, const int32_t* b, int n, int32_t* out, int first, int end) {
  int i = co_rank(first, a, m, b, n);
  int j = first - i;
  for (int k = first; k < end; ++k) {
    const bool takes_a = j == n || (i < m && a[i] <= b[j]);
    out[k] = takes_a ? a[i++] : b[j++];
  }
  return i;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_kernel(const int32_t* a, size_t m, const int32_t* b, size_t n, int32_t* out) {
  __shared__ int32_t a_tile[kTileItems];
  __shared__ int32_t b_tile[kTileItems];
  __shared__ int32_t out_tile[kTileItems];
  __shared__ size_t borders[2];
  __shared__ int used_of_a;

  const size_t section = size_t{blockIdx.x} * kSectionItems;
  const size_t section_end = min(section + kSectionItems, m + n);
  if (threadIdx.x == 0) borders[0] = co_rank(section, a, m, b, n);
  if (threadIdx.x == 32) borders[1] = co_rank(section_end, a, m, b, n);
  __syncthreads();
  size_t i = borders[0];
  size_t j = section - i;
  const size_t i_end = borders[1];
  const size_t j_end = section_end - i_end;

  for (size_t k = section; k < section_end; k += kTileItems) {
    const int a_count = static_cast<int>(min(i_end - i, size_t{kTileItems}));
    const int b_count = static_cast<int>(min(j_end - j, size_t{kTileItems}));
    const int out_count = static_cast<int>(min(section_end - k, size_t{kTileItems}));
    copy_tile(a + i, a_tile, a_count);
    copy_tile(b + j, b_tile, b_count);
    __syncthreads();

    const int first = min(static_cast<int>(threadIdx.x) * kItemsPerThread, out_count);
    const int end = min(first + kItemsPerThread, out_count);
    const int until_end = merge_segment(a_tile, a_count, b_tile, b_count, out_tile, first, end);
    if (first < end && end == out_count) used_of_a = until_end;
    __syncthreads();

    copy_tile(out_tile, out + k, out_count);
    i += kTileItems / 2;
    j += kTileItems / 2;
  }
}

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  if (m + n == 0) return;
  const size_t blocks = (m + n + kSectionItems - 1) / kSectionItems;
  merge_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
}
