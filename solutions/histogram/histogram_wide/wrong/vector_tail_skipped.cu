// expect: histogram_wide: wrong; misconception = "elements left over after the vectors skipped"
// Four values a load, and nobody counts the up to three that are left over.
#include "histogram.cuh"

__global__ void count_kernel(const uint4* data, size_t vectors, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= vectors) return;
  const uint4 vector = data[i];
  for (const uint32_t value : {vector.x, vector.y, vector.z, vector.w}) atomicAdd(&bins[value], 1u);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<n / 4 / 256 + 1, 256>>>(reinterpret_cast<const uint4*>(d_data), n / 4, d_bins);
}
