// expect: histogram_bytes: wrong; misconception = "bins of idle threads not added"
// Threads without an element clear their bin and return. What the others count in it never reaches the result. The
// barriers hang nobody: they wait only for threads that have not exited.
#include "histogram.cuh"

__global__ void count_kernel(const uint8_t* data, size_t n, uint32_t* bins) {
  __shared__ uint32_t mine[256];
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (threadIdx.x < 256) mine[threadIdx.x] = 0;
  __syncthreads();
  if (i >= n) return;
  atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  if (threadIdx.x < 256) atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

void histogram_bytes(const uint8_t* d_data, size_t n, uint32_t* d_bins) {
  cudaMemset(d_bins, 0, 256 * sizeof(uint32_t));
  if (n == 0) return;
  count_kernel<<<n / 512 + 1, 512>>>(d_data, n, d_bins);
}
