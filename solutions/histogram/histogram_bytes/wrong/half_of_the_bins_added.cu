// expect: histogram_bytes: wrong; misconception = "upper half of the bins empty"
// Blocks of 128 threads, and one thread a bin when it comes to adding up: 128 bins are never added.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  __shared__ uint32_t mine[256];
  for (int v = threadIdx.x; v < 256; v += 128) mine[v] = 0;
  __syncthreads();
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  if (threadIdx.x < 256) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 127) / 128, 128>>>(d_data, n, d_bins);
}
