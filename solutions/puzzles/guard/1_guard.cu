// Puzzle 2, guard: more threads than elements. Blocks are full, arrays are not: the test i < n keeps idle threads
// away from what is not theirs.
#include "puzzles.cuh"

__global__ void guard_kernel(const int* in, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

void guard(const int* d_in, int* d_out, int n) { guard_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n); }
