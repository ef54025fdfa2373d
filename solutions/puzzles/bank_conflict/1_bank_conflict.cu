// Puzzle 20, bank_conflict: 32 banks. One word of padding puts the elements of a column into different banks.
#include "puzzles.cuh"

__global__ void bank_conflict_kernel(const int* in, int* out) {
  __shared__ int tile[32][33];
  const int t = threadIdx.x;
  for (int k = 0; k < 32; ++k) tile[k][t] = in[blockIdx.x * 1024 + k * 32 + t];
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 32; ++k) sum += tile[t][k];
  out[blockIdx.x * 32 + t] = sum;
}

void bank_conflict(const int* d_in, int* d_out, int tiles) { bank_conflict_kernel<<<tiles, 32>>>(d_in, d_out); }
