// Puzzle 1, map: one thread for each element. The number of the thread is the number of the element; the loop is
// gone.
#include "puzzles.cuh"

__global__ void map_kernel(const int* in, int* out) {
  const int i = threadIdx.x;
  out[i] = in[i] + 10;
}

void map(const int* d_in, int* d_out, int n) { map_kernel<<<1, n>>>(d_in, d_out); }
