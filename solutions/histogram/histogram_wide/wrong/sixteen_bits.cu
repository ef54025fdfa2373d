// expect: histogram_wide: wrong; misconception = "value cut to 16 bits"
// A value is kept in a short: 65,536 becomes 0.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned short value = data[i];
  atomicAdd(&bins[value], 1u);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
