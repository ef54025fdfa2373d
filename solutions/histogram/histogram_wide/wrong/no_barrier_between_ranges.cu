// expect: histogram_wide: wrong; racecheck
// One kernel goes through all ranges in a loop. A warp that has added up its bins clears the next range's while others
// still add up this one's: the barrier at the end of the loop is missing. On a GPU warps mostly keep in step.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, size_t n, uint32_t* bins, int num_bins) {
  __shared__ uint32_t mine[12288];
  for (int first = 0; first < num_bins; first += 12288) {
    const int range = min(12288, num_bins - first);
    for (int b = threadIdx.x; b < 12288; b += blockDim.x) mine[b] = 0;
    __syncthreads();
    for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x)
      if (data[i] - first < range) atomicAdd(&mine[data[i] - first], 1u);
    __syncthreads();
    for (int b = range - 1 - threadIdx.x; b >= 0; b -= blockDim.x) atomicAdd(&bins[first + b], mine[b]);
  }
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<4, 512>>>(d_data, n, d_bins, num_bins);
}
