// expect: transpose: right; no points of efficient
// Part 1 with blocks of 4 x 64 threads: a warp covers 4 columns of 8 rows, so that its load touches 8 sectors and its
// store 4, where a block of 32 x 32 has 4 and 32. It has no tile, and 1.5 times the sectors that are needed.
#include "transpose.cuh"

constexpr int kAcross = 4, kDown = 64;

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * kAcross + threadIdx.x;
  const int r = blockIdx.y * kDown + threadIdx.y;
  if (r < rows && c < cols) out[size_t(c) * rows + r] = in[size_t(r) * cols + c];
}

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const dim3 grid((cols + kAcross - 1) / kAcross, (rows + kDown - 1) / kDown);
  transpose_kernel<<<grid, dim3(kAcross, kDown)>>>(d_in, d_out, rows, cols);
}
