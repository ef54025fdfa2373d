// expect: softmax: wrong; misconception = "softmax of columns"
// A thread a column.
#include "attention.cuh"

__global__ void softmax_kernel(const float* x, float* y, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  float maximum = -INFINITY;
  for (int r = 0; r < rows; ++r) maximum = fmaxf(maximum, x[r * cols + c]);
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += expf(x[r * cols + c] - maximum);
  for (int r = 0; r < rows; ++r) y[r * cols + c] = expf(x[r * cols + c] - maximum) / sum;
}

void softmax(const float* d_x, float* d_y, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<<<(cols + 127) / 128, 128>>>(d_x, d_y, rows, cols);
}
