// expect: histogram_wide: refused by audit
// Sort-and-count, with the sorting left to Thrust, which lab.toml forbids.
#include <thrust/device_ptr.h>
#include <thrust/sort.h>

#include "histogram.cuh"

__global__ void count_runs_kernel(const uint32_t* sorted, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n || (i > 0 && sorted[i] == sorted[i - 1])) return;
  size_t end = i;
  while (end < n && sorted[end] == sorted[i]) ++end;
  bins[sorted[i]] = end - i;
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  uint32_t* d_sorted;
  cudaMalloc(&d_sorted, n * sizeof(uint32_t));
  cudaMemcpy(d_sorted, d_data, n * sizeof(uint32_t), cudaMemcpyDeviceToDevice);
  thrust::sort(thrust::device_pointer_cast(d_sorted), thrust::device_pointer_cast(d_sorted + n));
  count_runs_kernel<<<(n + 255) / 256, 256>>>(d_sorted, n, d_bins);
  cudaFree(d_sorted);
}
