// expect: histogram_bytes: wrong; racecheck; misconception = "lost updates"
// bins[v]++: threads that read the same old count write the same new one. On a GPU nearly all counts are lost.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) bins[data[i]]++;
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
