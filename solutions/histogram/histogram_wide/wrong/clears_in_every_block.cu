// expect: histogram_wide: wrong; racecheck
// The kernel clears the bins itself, in every block: a block that starts late clears what others have counted.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, size_t n, uint32_t* bins, int num_bins) {
  for (int b = threadIdx.x; b < num_bins; b += blockDim.x) bins[b] = 0;
  __syncthreads();
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  count_kernel<<<n / 4096 + 1, 1024>>>(d_data, n, d_bins, num_bins);
}
