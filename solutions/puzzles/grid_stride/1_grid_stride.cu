// Puzzle 5, grid_stride: fewer threads than elements. The loop goes on by as many elements as the grid has
// threads, so that any grid serves any n.
#include "puzzles.cuh"

__global__ void grid_stride_kernel(const int* in, int* out, int n) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) out[i] = in[i] * in[i];
}

void grid_stride(const int* d_in, int* d_out, int n) { grid_stride_kernel<<<8, 128>>>(d_in, d_out, n); }
