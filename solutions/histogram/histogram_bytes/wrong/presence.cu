// expect: histogram_bytes: wrong; misconception = "presence stored instead of a count"
// Says which values occur, not how often.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(&bins[data[i]], 1u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
