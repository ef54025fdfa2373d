// Puzzle 11, block_sum: a tree. Half of the threads add the other half, eight times; the barrier is outside the
// if, since all threads must reach it.
#include "puzzles.cuh"

__global__ void block_sum_kernel(const int* in, int* out) {
  __shared__ int partial[256];
  const int t = threadIdx.x;
  partial[t] = in[blockIdx.x * 256 + t];
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) partial[t] += partial[t + half];
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

void block_sum(const int* d_in, int* d_out, int blocks) { block_sum_kernel<<<blocks, 256>>>(d_in, d_out); }
