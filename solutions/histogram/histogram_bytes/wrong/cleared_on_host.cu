// expect: histogram_bytes: crash
// The CPU clears the bins through a device pointer.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  for (int v = 0; v < 256; ++v) d_bins[v] = 0;
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
