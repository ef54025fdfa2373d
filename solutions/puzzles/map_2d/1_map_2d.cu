// Puzzle 3, map_2d: two coordinates. x runs along a row and is the column, y is the row; each direction has a
// guard of its own.
#include "puzzles.cuh"

__global__ void map_2d_kernel(const int* in, int* out, int width, int height) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < height && col < width) out[row * width + col] = in[row * width + col] + 100 * row + col;
}

void map_2d(const int* d_in, int* d_out, int width, int height) {
  map_2d_kernel<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(d_in, d_out, width, height);
}
