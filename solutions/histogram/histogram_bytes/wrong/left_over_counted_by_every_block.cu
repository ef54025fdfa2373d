// expect: histogram_bytes: wrong
// The bytes after the last vector are counted by the first threads of every block, not of the grid.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  __shared__ uint32_t mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  const size_t vectors = n / 16;
  for (size_t i = size_t{blockIdx.x} * 256 + threadIdx.x; i < vectors; i += size_t{gridDim.x} * 256) {
    const uint4 vector = reinterpret_cast<const uint4*>(data)[i];
    for (const uint32_t word : {vector.x, vector.y, vector.z, vector.w})
      for (int k = 0; k < 4; ++k) atomicAdd(&mine[word >> (8 * k) & 0xFF], 1u);
  }
  if (vectors * 16 + threadIdx.x < n) atomicAdd(&mine[data[vectors * 16 + threadIdx.x]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n > 0) count_kernel<<<264, 256>>>(d_data, n, d_bins);
}
