// expect: histogram_wide: wrong; misconception = "last chunk skipped"
// Every block counts 2048 elements, and there are n / 2048 blocks, rounded down.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, uint32_t* bins) {
  const size_t first = size_t{blockIdx.x} * 2048;
  for (size_t i = first + threadIdx.x; i < first + 2048; i += blockDim.x) atomicAdd(&bins[data[i]], 1u);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n >= 2048) count_kernel<<<n / 2048, 256>>>(d_data, d_bins);
}
