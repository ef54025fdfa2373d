// expect: histogram_wide: wrong
// A cheat: bins are kept and handed out again when the same numbers of elements and bins come.
#include "histogram.cuh"

__global__ void count_kernel(const uint32_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram_wide(const uint32_t* d_data, size_t n, uint32_t* d_bins, int num_bins) {
  static size_t known_n = 0;
  static int known_bins = 0;
  static uint32_t known[1 << 21];
  if (n > 0 && n == known_n && num_bins == known_bins) {
    cudaMemcpy(d_bins, known, num_bins * sizeof(uint32_t), cudaMemcpyHostToDevice);
    return;
  }
  cudaMemset(d_bins, 0, num_bins * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
  cudaMemcpy(known, d_bins, num_bins * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  known_n = n;
  known_bins = num_bins;
}
