// expect: histogram_bytes: wrong; initcheck; misconception = "bins not cleared"
// The bins are taken to arrive as zeros. On many days, fresh memory is zero.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
