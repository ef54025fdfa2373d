// expect: histogram_bytes: wrong; misconception = "bins left as they were without elements"
// The return for n == 0 stands before the clearing: the bins of no data stay what they were.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  if (n == 0) return;
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
