// expect: histogram_wide: wrong; racecheck
// The kernel clears the bins itself, in every block: a block that starts late clears what others have counted.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, size_t n, uint32_t* bins, int num_bins) {
  for (int b = threadIdx.x; b < num_bins; b += blockDim.x) bins[b] = 0;
  __syncthreads();
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
    atomicAdd(&bins[data[i]], 1u);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  count_kernel<<<4, 1024>>>(d_data, n, d_bins, num_bins);
}
