// expect: histogram_bytes: wrong; misconception = "elements left over after the vectors skipped"
// 16 bytes a load, and nobody counts the up to 15 bytes after the last whole vector.
#include "histogram.cuh"

__global__ void count_kernel(const uint4* data, size_t vectors, uint32_t* bins) {
  __shared__ uint32_t mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (size_t i = size_t{blockIdx.x} * 256 + threadIdx.x; i < vectors; i += size_t{gridDim.x} * 256) {
    const uint4 vector = data[i];
    for (const uint32_t word : {vector.x, vector.y, vector.z, vector.w})
      for (int k = 0; k < 4; ++k) atomicAdd(&mine[word >> (8 * k) & 0xFF], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  count_kernel<<<264, 256>>>(reinterpret_cast<const uint4*>(d_data), n / 16, d_bins);
}
