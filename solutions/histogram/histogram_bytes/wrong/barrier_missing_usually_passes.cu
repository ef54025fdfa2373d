// expect: histogram_bytes: wrong; initcheck; racecheck
// The barrier between clearing and counting is missing, but the first warp clears all bins: on a GPU it
// starts first and nearly always wins the race.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  __shared__ uint32_t mine[256];
  if (threadIdx.x < 32)
    for (int v = threadIdx.x; v < 256; v += 32) mine[v] = 0;
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<(n + 255) / 256, 256>>>(d_data, n, d_bins);
}
