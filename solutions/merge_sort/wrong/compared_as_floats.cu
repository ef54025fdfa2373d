// expect: merge_sort: wrong; misconception = "keys compared as floats"
// A comparison written for floats: an int of more than 24 bits is rounded before it is compared.
#include "merge_sort.cuh"

constexpr int kThreadsPerBlock = 256;

__device__ size_t count_less(int32_t key, const int32_t* keys, size_t count) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (float(keys[middle]) < float(key))
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__device__ size_t count_not_greater(int32_t key, const int32_t* keys, size_t count) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (float(keys[middle]) <= float(key))
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
    out[k + count_less(in[k], in + middle, end - middle)] = in[k];
  else
    out[k - run + count_not_greater(in[k], in + pair, run)] = in[k];
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
