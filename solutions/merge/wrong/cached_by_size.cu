// expect: merge_sorted: wrong
// A cheat: arrays as long as those of last time are taken to hold the keys of last time, and the result of last time is
// handed out again. Fresh keys for every run give it away.
#include "merge.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;

__device__ int32_t kept[8192];

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
  static size_t last_m = 0;
  static size_t last_n = 0;
  const size_t bytes = (m + n) * sizeof(int32_t);
  if (m + n == 0) return;
  if (m == last_m && n == last_n) {
    cudaMemcpyFromSymbol(d_out, kept, bytes, 0, cudaMemcpyDeviceToDevice);
    return;
  }
  merge_kernel<<<(m + n + kTileItems - 1) / kTileItems, kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
  if (bytes > sizeof(kept)) return;
  cudaMemcpyToSymbol(kept, d_out, bytes, 0, cudaMemcpyDeviceToDevice);
  last_m = m;
  last_n = n;
}
