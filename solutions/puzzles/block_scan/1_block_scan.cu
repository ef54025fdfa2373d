// Puzzle 12, block_scan: all sums on the way. Read, barrier, write, barrier: with these two, one array is enough.
#include "puzzles.cuh"

__global__ void block_scan_kernel(const int* in, int* out) {
  __shared__ int sums[256];
  const int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    const int left = t >= distance ? sums[t - distance] : 0;
    __syncthreads();
    sums[t] += left;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = sums[t];
}

void block_scan(const int* d_in, int* d_out, int blocks) { block_scan_kernel<<<blocks, 256>>>(d_in, d_out); }
