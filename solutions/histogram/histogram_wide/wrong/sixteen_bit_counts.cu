// expect: histogram_wide: wrong
// Two counts to a word, so that twice as many bins fit into shared memory: a count of 65,536 runs over into its
// neighbour.
#include "histogram.cuh"

__global__ void count_range_kernel(const uint32_t* data, size_t n, uint32_t* bins, uint32_t first_bin, uint32_t range) {
  __shared__ uint32_t pairs[12288];
  for (uint32_t b = threadIdx.x; b < 12288; b += blockDim.x) pairs[b] = 0;
  __syncthreads();
  for (size_t i = threadIdx.x; i < n; i += blockDim.x) {
    const uint32_t b = data[i] - first_bin;
    if (b < range) atomicAdd(&pairs[b / 2], b % 2 == 0 ? 1u : 1u << 16);
  }
  __syncthreads();
  for (uint32_t b = threadIdx.x; b < range; b += blockDim.x)
    bins[first_bin + b] = b % 2 == 0 ? pairs[b / 2] & 0xFFFF : pairs[b / 2] >> 16;
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  for (int first = 0; first < num_bins; first += 24576)
    count_range_kernel<<<1, 1024>>>(d_data, n, d_bins, first, min(24576, num_bins - first));
}
