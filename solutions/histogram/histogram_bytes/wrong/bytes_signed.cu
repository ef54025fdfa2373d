// expect: histogram_bytes: wrong; memcheck; misconception = "upper half of the bins empty"
// char is signed: 200 becomes -56, and the count lands before the bins.
#include "histogram.cuh"

__global__ void count_kernel(const char* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(reinterpret_cast<const char*>(d_data), n, d_bins);
}
