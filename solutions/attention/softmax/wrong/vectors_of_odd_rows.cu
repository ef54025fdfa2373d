// expect: softmax: cuda error; memcheck
// Rows are read four elements at a time, wherever they begin. The first row's maximum is right.
#include "attention.cuh"

__global__ void softmax_kernel(const float* x, float* y, int cols) {
  const float* from = x + size_t{blockIdx.x} * cols;
  float maximum = -INFINITY;
  for (int i = 0; i < cols / 4; ++i) {
    const float4 v = reinterpret_cast<const float4*>(from)[i];
    maximum = fmaxf(maximum, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  for (int c = cols / 4 * 4; c < cols; ++c) maximum = fmaxf(maximum, from[c]);
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += expf(from[c] - maximum);
  for (int c = threadIdx.x; c < cols; c += 32) y[size_t{blockIdx.x} * cols + c] = expf(from[c] - maximum) / sum;
}

void softmax(const float* d_x, float* d_y, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<<<rows, 32>>>(d_x, d_y, cols);
}
