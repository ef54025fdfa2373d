// expect: histogram_bytes: wrong; misconception = "last chunk skipped"
// Every block counts a chunk of 4096 elements, and there are n / 4096 of them, rounded down: the rest belongs to
// nobody.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, uint32_t* bins) {
  __shared__ uint32_t mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const size_t first = size_t{blockIdx.x} * 4096;
  for (size_t i = first + threadIdx.x; i < first + 4096; i += 256) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  const size_t chunks = n / 4096;
  if (chunks > 0) count_kernel<<<chunks, 256>>>(d_data, d_bins);
}
