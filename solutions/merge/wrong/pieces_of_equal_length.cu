// expect: merge_sorted: wrong; misconception = "inputs cut without looking at the keys"
// Each thread merges four keys of A with the four keys of B at the same position: what comes out is sorted in pieces of
// eight keys.
#include "merge.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;

__global__ void merge_kernel(const int32_t* a, size_t m, const int32_t* b, size_t n, int32_t* out) {
  const size_t first = (size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) * (kItemsPerThread / 2);
  size_t i = min(first, m);
  size_t j = min(first, n);
  const size_t i_end = min(first + kItemsPerThread / 2, m);
  const size_t j_end = min(first + kItemsPerThread / 2, n);
  for (size_t k = i + j; k < i_end + j_end; ++k) {
    const bool takes_a = j == j_end || (i < i_end && a[i] <= b[j]);
    out[k] = takes_a ? a[i++] : b[j++];
  }
}

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  if (m + n == 0) return;
  const size_t longer = max(m, n);
  merge_kernel<<<(2 * longer + kTileItems - 1) / kTileItems, kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
}
