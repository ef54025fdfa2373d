// expect: histogram_wide: wrong; memcheck; misconception = "bin index off by one"
// Bins counted from 1: value 0 is counted before the first one.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[int(data[i]) - 1], 1u);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
