// expect: histogram_wide: wrong; misconception = "value cut to one byte"
// The kernel of the first task with 256 private bins and & 0xFF, taken over as it was.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, size_t n, uint32_t* bins, int num_bins) {
  __shared__ uint32_t mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&mine[data[i] & 0xFF], 1u);
  __syncthreads();
  if (threadIdx.x < num_bins && mine[threadIdx.x] > 0) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins, num_bins);
}
