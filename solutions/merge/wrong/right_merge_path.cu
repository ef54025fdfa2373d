// expect: merge_sorted: right
// Each thread searches where its eight items begin, and merges them in global memory.
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
  const size_t first = (size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) * kItemsPerThread;
  if (first >= m + n) return;
  const size_t end = min(first + kItemsPerThread, m + n);
  size_t i = co_rank(first, a, m, b, n);
  size_t j = first - i;
  for (size_t k = first; k < end; ++k) {
    const bool takes_a = j == n || (i < m && a[i] <= b[j]);
    out[k] = takes_a ? a[i++] : b[j++];
  }
}

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  if (m + n == 0) return;
  merge_kernel<<<(m + n + kTileItems - 1) / kTileItems, kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
}
