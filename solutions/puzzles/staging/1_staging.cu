// Puzzle 7, staging: shared memory. Each element is read once from global memory, and 128 times from shared
// memory.
#include "puzzles.cuh"

__global__ void staging_kernel(const int* in, int* out) {
  __shared__ int tile[128];
  const int i = blockIdx.x * 128 + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  int less = 0;
  for (int k = 0; k < 128; ++k) less += tile[k] < tile[threadIdx.x];
  out[i] = less;
}

void staging(const int* d_in, int* d_out, int blocks) { staging_kernel<<<blocks, 128>>>(d_in, d_out); }
