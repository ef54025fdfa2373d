// expect: histogram_bytes: wrong
// A cheat: bins are kept and handed out again when the same number of elements comes. Data is fresh in every case and
// every timed run, at fresh addresses, so neither size nor pointer tells anything about it.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  static size_t known_n = 0;
  static uint32_t known_bins[256];
  if (n > 0 && n == known_n) {
    cudaMemcpy(d_bins, known_bins, sizeof(known_bins), cudaMemcpyHostToDevice);
    return;
  }
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
  cudaMemcpy(known_bins, d_bins, sizeof(known_bins), cudaMemcpyDeviceToHost);
  known_n = n;
}
