// expect: merge_sort: wrong; misconception = "merged in place"
// A thread merges a pair of runs in the array where they lie: the merged keys overwrite what still has to be read.
#include "merge_sort.cuh"

constexpr int kThreadsPerBlock = 256;

__global__ void merge_level(int32_t* keys, size_t n, size_t run) {
  const size_t pair = (size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) * 2 * run;
  if (pair + run >= n) return;
  const size_t end = min(pair + 2 * run, n);
  size_t i = pair;
  size_t j = pair + run;
  for (size_t k = pair; k < end; ++k) {
    const bool takes_a = j == end || (i < pair + run && keys[i] <= keys[j]);
    keys[k] = takes_a ? keys[i++] : keys[j++];
  }
}

void merge_sort(const int32_t* d_in, int32_t* d_out, size_t n) {
  if (n == 0) return;
  cudaMemcpy(d_out, d_in, n * sizeof(int32_t), cudaMemcpyDeviceToDevice);
  for (size_t run = 1; run < n; run *= 2) {
    const size_t pairs = (n + 2 * run - 1) / (2 * run);
    merge_level<<<(pairs + kThreadsPerBlock - 1) / kThreadsPerBlock, kThreadsPerBlock>>>(d_out, n, run);
  }
}
