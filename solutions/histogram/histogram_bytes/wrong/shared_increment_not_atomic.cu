// expect: histogram_bytes: wrong; racecheck; misconception = "lost updates"
// Private bins in shared memory, in the belief that what is private to a block needs no atomics. Its threads share it.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  __shared__ uint32_t mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) mine[data[i]] += 1;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
