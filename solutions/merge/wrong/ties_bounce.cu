// expect: merge_sorted: time limit; runtime
// A search that walks from both sides, and asks for strict order on both: with equal keys neither side is content, and
// each sends the border back to the other.
#include "merge.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;

__device__ size_t co_rank(size_t k, const int32_t* a, size_t m, const int32_t* b, size_t n) {
  size_t i = min(k, m);
  size_t j = k - i;
  size_t least_i = k > n ? k - n : 0;
  size_t least_j = k > m ? k - m : 0;
  while (true) {
    if (i > 0 && j < n && a[i - 1] >= b[j]) {
      const size_t step = (i - least_i + 1) / 2;
      least_j = j;
      i -= step;
      j += step;
    } else if (j > 0 && i < m && b[j - 1] >= a[i]) {
      const size_t step = (j - least_j + 1) / 2;
      least_i = i;
      i += step;
      j -= step;
    } else {
      return i;
    }
  }
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
