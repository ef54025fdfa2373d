// expect: transpose: right
// What the handout leads to after part 3: a padded tile, a thread for each element.
#include "transpose.cuh"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[kTile][kTile + 1];
  int row = blockIdx.y * kTile + threadIdx.y;
  int col = blockIdx.x * kTile + threadIdx.x;
  if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = in[size_t(row) * cols + col];
  __syncthreads();
  row = blockIdx.x * kTile + threadIdx.y;
  col = blockIdx.y * kTile + threadIdx.x;
  if (row < cols && col < rows) out[size_t(row) * rows + col] = tile[threadIdx.x][threadIdx.y];
}

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_kernel<<<grid, dim3(kTile, kTile)>>>(d_in, d_out, rows, cols);
}
