// Puzzle 6, shift: neighbours that may not exist. Two tests: one for the thread, which may have no element, and
// one for the element that it wants to read.
#include "puzzles.cuh"

__global__ void shift_kernel(const int* in, int* out, int n, int by) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int from = i - by;
  if (i < n) out[i] = from >= 0 && from < n ? in[from] : 0;
}

void shift(const int* d_in, int* d_out, int n, int by) { shift_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n, by); }
