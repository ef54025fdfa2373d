// Puzzle 4, broadcast: one value for many threads. Threads of a row read different elements of one vector and the
// same element of the other.
#include "puzzles.cuh"

__global__ void broadcast_kernel(const int* across, const int* down, int* out, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) out[row * width + col] = across[col] + down[row];
}

void broadcast(const int* d_across, const int* d_down, int* d_out, int width, int height) {
  broadcast_kernel<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(d_across, d_down, d_out, width, height);
}
