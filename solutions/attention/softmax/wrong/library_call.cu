// expect: softmax: refused by audit
// The lab is about writing the reductions: a call of CUB, which lab.toml forbids.
#include <cub/block/block_reduce.cuh>

#include "attention.cuh"

__global__ void softmax_kernel(const float* x, float* y, int cols) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ Reduce::TempStorage storage;
  __shared__ float total;
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += 128) sum += expf(x[size_t{blockIdx.x} * cols + c]);
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0) total = sum;
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += 128)
    y[size_t{blockIdx.x} * cols + c] = expf(x[size_t{blockIdx.x} * cols + c]) / total;
}

void softmax(const float* d_x, float* d_y, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  softmax_kernel<<<rows, 128>>>(d_x, d_y, cols);
}
