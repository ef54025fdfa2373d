// expect: histogram_bytes: wrong
// A cheat: every fourth element is counted four times. It takes a quarter of the time and looks nearly right.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = (size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i < n) atomicAdd(&bins[data[i]], 4u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
