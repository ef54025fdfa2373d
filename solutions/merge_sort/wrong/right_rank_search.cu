// expect: merge_sort: right
// A search for every key; of equal ones those of the left run come first.
#include "merge_sort.cuh"

constexpr int kThreadsPerBlock = 256;

// Number of keys that are less than `key`, or equal to it if `ties` says so.
__device__ size_t count_before(int32_t key, const int32_t* keys, size_t count, bool ties) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (keys[middle] < key || (ties && keys[middle] == key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void merge_level(const int32_t* in, int32_t* out, size_t n, size_t run) {
  const size_t k = size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (k >= n) return;
  const size_t pair = k / (2 * run) * (2 * run);
  const size_t middle = min(pair + run, n);
  const size_t end = min(pair + 2 * run, n);
  if (k < middle)
    out[k + count_before(in[k], in + middle, end - middle, false)] = in[k];
  else
    out[k - run + count_before(in[k], in + pair, run, true)] = in[k];
}

void merge_sort(const int32_t* d_in, int32_t* d_out, size_t n) {
  if (n == 0) return;
  int levels = 0;
  while ((size_t{1} << levels) < n) ++levels;
  if (levels == 0) cudaMemcpy(d_out, d_in, sizeof(int32_t), cudaMemcpyDeviceToDevice);
  int32_t* d_scratch = nullptr;
  cudaMalloc(&d_scratch, n * sizeof(int32_t));
  const int32_t* d_from = d_in;
  for (int level = 0; level < levels; ++level) {
    int32_t* d_to = (levels - level) % 2 == 1 ? d_out : d_scratch;
    merge_level<<<(n + kThreadsPerBlock - 1) / kThreadsPerBlock, kThreadsPerBlock>>>(d_from, d_to, n,
                                                                                     size_t{1} << level);
    d_from = d_to;
  }
  cudaFree(d_scratch);
}
