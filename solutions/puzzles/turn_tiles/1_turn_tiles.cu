// Puzzle 18, turn_tiles: a matrix through tiles. Reads and writes both go along rows; what is transposed is the
// place in the tile.
#include "puzzles.cuh"

__global__ void turn_tiles_kernel(const int* in, int* out, int rows, int cols) {
  __shared__ int tile[32][33];  // 33: see puzzle 20
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  tile[y][x] = in[(blockIdx.y * 32 + y) * cols + blockIdx.x * 32 + x];
  __syncthreads();
  out[(blockIdx.x * 32 + y) * rows + blockIdx.y * 32 + x] = tile[x][y];
}

void turn_tiles(const int* d_in, int* d_out, int rows, int cols) {
  turn_tiles_kernel<<<dim3(cols / 32, rows / 32), dim3(32, 32)>>>(d_in, d_out, rows, cols);
}
