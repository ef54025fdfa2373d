// expect: merge_sorted: wrong; racecheck; misconception = "ties counted with < on both sides"
// Every element counts the smaller ones of the other array: equal keys of A and B go to the same place, and leave the
// last places of their run empty.
#include "merge.cuh"

__device__ size_t count_before(int32_t key, const int32_t* keys, size_t count) {
  size_t low = 0;
  size_t high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (keys[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

__global__ void merge_kernel(const int32_t* a, size_t m, const int32_t* b, size_t n, int32_t* out) {
  const size_t t = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t < m)
    out[t + count_before(a[t], b, n)] = a[t];
  else if (t < m + n)
    out[t - m + count_before(b[t - m], a, m)] = b[t - m];
}

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  if (m + n == 0) return;
  merge_kernel<<<(m + n + 255) / 256, 256>>>(d_a, m, d_b, n, d_out);
}
