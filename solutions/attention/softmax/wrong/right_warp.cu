// expect: softmax: right
// A warp a row, with an online softmax in each lane, and fast exponentials.
// The differences next to it spoil it in one way each.
#include "attention.cuh"

__global__ void softmax_kernel(const float* x, float* y, int cols) {
  const float* from = x + size_t{blockIdx.x} * cols;
  float maximum = -INFINITY;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) {
    const float greater = fmaxf(maximum, from[c]);
    sum = sum * __expf(maximum - greater) + __expf(from[c] - greater);
    maximum = greater;
  }
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(~0u, maximum, distance);
    const float other_sum = __shfl_xor_sync(~0u, sum, distance);
    const float greater = fmaxf(maximum, other);
    if (greater == -INFINITY) continue;
    sum = sum * __expf(maximum - greater) + other_sum * __expf(other - greater);
    maximum = greater;
  }
  for (int c = threadIdx.x; c < cols; c += 32) y[size_t{blockIdx.x} * cols + c] = __expf(from[c] - maximum) / sum;
}

void softmax(const float* d_x, float* d_y, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<<<rows, 32>>>(d_x, d_y, cols);
}
