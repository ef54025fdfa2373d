// expect: transpose: right
// Part 1: one thread for each element.
#include "transpose.cuh"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * kTile + threadIdx.x;
  const int r = blockIdx.y * kTile + threadIdx.y;
  if (r >= rows || c >= cols) return;
  out[size_t(c) * rows + r] = in[size_t(r) * cols + c];
}

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_kernel<<<grid, dim3(kTile, kTile)>>>(d_in, d_out, rows, cols);
}
