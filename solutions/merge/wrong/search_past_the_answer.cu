// expect: merge_sorted: wrong; misconception = "co-rank search moves past the answer"
// high = i - 1, as in a search for one value: but i itself may be the answer. The numbers are signed, so that the
// search ends all the same.
#include "merge.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;

__device__ long long co_rank(long long k, const int32_t* a, long long m, const int32_t* b, long long n) {
  long long low = k > n ? k - n : 0;
  long long high = k < m ? k : m;
  while (low < high) {
    const long long i = (low + high) / 2;
    if (a[i] <= b[k - 1 - i])
      low = i + 1;
    else
      high = i - 1;
  }
  return low;
}

__global__ void merge_kernel(const int32_t* a, size_t m, const int32_t* b, size_t n, int32_t* out) {
  const size_t first = (size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) * kItemsPerThread;
  if (first >= m + n) return;
  const size_t end = min(first + kItemsPerThread, m + n);
  long long i = co_rank(first, a, m, b, n);
  long long j = first - i;
  for (size_t k = first; k < end; ++k) {
    const bool takes_a = j >= n || (i < m && a[i] <= b[j]);
    out[k] = takes_a ? a[i++] : b[j++];
  }
}

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  if (m + n == 0) return;
  merge_kernel<<<(m + n + kTileItems - 1) / kTileItems, kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
}
