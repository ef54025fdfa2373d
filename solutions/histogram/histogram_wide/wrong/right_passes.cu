// expect: histogram_wide: right
// Passes in ranges that are never longer than the histogram. Files next to this one say what they change in it.
#include "histogram.cuh"

__global__ void count_range_kernel(const uint32_t* data, size_t n, uint32_t* bins, uint32_t first_bin, uint32_t range) {
  __shared__ uint32_t mine[12288];
  for (uint32_t b = threadIdx.x; b < range; b += blockDim.x) mine[b] = 0;
  __syncthreads();
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += size_t{gridDim.x} * blockDim.x) {
    const uint32_t b = data[i] - first_bin;
    if (b < range) atomicAdd(&mine[b], 1u);
  }
  __syncthreads();
  for (uint32_t b = threadIdx.x; b < range; b += blockDim.x) atomicAdd(&bins[first_bin + b], mine[b]);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  const int range = min(12288, num_bins);
  for (int first = 0; first < num_bins; first += range)
    count_range_kernel<<<4, 512>>>(d_data, n, d_bins, first, min(range, num_bins - first));
}
