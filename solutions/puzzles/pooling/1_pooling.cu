// Puzzle 9, pooling: a window of three. Start with the element that exists, and add neighbours that exist.
#include "puzzles.cuh"

__global__ void pooling_kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int most = in[i];
  if (i > 0) most = max(most, in[i - 1]);
  if (i + 1 < n) most = max(most, in[i + 1]);
  out[i] = most;
}

void pooling(const int* d_in, int* d_out, int n) { pooling_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n); }
