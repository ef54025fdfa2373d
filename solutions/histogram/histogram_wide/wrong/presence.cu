// expect: histogram_wide: wrong; racecheck; misconception = "presence stored instead of a count"
// Says which values occur, not how often.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) bins[data[i]] = 1;
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
