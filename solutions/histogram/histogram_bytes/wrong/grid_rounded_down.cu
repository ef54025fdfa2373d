// expect: histogram_bytes: cuda error; runtime; misconception = "last partial block skipped"
// n / 256 rounds down: up to 255 elements are left out, and fewer than 256 make a grid of no blocks, which is an error.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<n / 256, 256>>>(d_data, n, d_bins);
}
