// expect: transpose: right; no points of efficient
// No tile: a thread loads eight elements of a column of the input, and stores them as two vectors of a row of the
// output. Each vector fills half of a sector, so that every sector is written by two requests.
#include "transpose.cuh"

constexpr int kItems = 8, kBlockCols = 32, kBlockRows = 8 * kItems;

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int c = blockIdx.x * kBlockCols + threadIdx.x;
  const int r = (blockIdx.y * 8 + threadIdx.y) * kItems;
  if (c >= cols) return;
  float v[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k)
    if (r + k < rows) v[k] = in[size_t(r + k) * cols + c];
  float* const to = out + size_t(c) * rows + r;
  if (rows % 4 == 0 && r + kItems <= rows) {
    reinterpret_cast<float4*>(to)[0] = make_float4(v[0], v[1], v[2], v[3]);
    reinterpret_cast<float4*>(to)[1] = make_float4(v[4], v[5], v[6], v[7]);
    return;
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k)
    if (r + k < rows) to[k] = v[k];
}

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const dim3 grid((cols + kBlockCols - 1) / kBlockCols, (rows + kBlockRows - 1) / kBlockRows);
  transpose_kernel<<<grid, dim3(kBlockCols, 8)>>>(d_in, d_out, rows, cols);
}
