// expect: softmax: right
// A block of 128 threads a row, with a tree in shared memory for the maximum and one for the sum.
// The differences next to it spoil it in one way each.
#include "attention.cuh"

constexpr int kThreads = 128;

__global__ void softmax_kernel(const float* x, float* y, int cols) {
  __shared__ float partial[kThreads];
  const int t = threadIdx.x;
  const float* from = x + size_t{blockIdx.x} * cols;
  float maximum = -INFINITY;
  for (int c = t; c < cols; c += kThreads) maximum = fmaxf(maximum, from[c]);
  partial[t] = maximum;
  __syncthreads();
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    if (t < distance) partial[t] = fmaxf(partial[t], partial[t + distance]);
    __syncthreads();
  }
  maximum = partial[0];
  __syncthreads();  // all have read it
  float sum = 0;
  for (int c = t; c < cols; c += kThreads) sum += expf(from[c] - maximum);
  partial[t] = sum;
  __syncthreads();
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    if (t < distance) partial[t] += partial[t + distance];
    __syncthreads();
  }
  sum = partial[0];
  for (int c = t; c < cols; c += kThreads) y[size_t{blockIdx.x} * cols + c] = expf(from[c] - maximum) / sum;
}

void softmax(const float* d_x, float* d_y, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<<<rows, kThreads>>>(d_x, d_y, cols);
}
