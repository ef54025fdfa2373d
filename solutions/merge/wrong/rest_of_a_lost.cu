// expect: merge_sorted: wrong; misconception = "rest of A lost"
// What is left of B when A is used up gets copied, but not the other way round.
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
  const size_t i_end = co_rank(end, a, m, b, n);
  const size_t j_end = end - i_end;
  size_t k = first;
  while (i < i_end && j < j_end) out[k++] = a[i] <= b[j] ? a[i++] : b[j++];
  while (j < j_end) out[k++] = b[j++];
}

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  if (m + n == 0) return;
  merge_kernel<<<(m + n + kTileItems - 1) / kTileItems, kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
}
