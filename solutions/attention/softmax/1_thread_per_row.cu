// Step 1 of softmax: a thread a row.
// Idea      the loop over rows becomes the grid. A thread goes through its row three times: for the maximum, for the
//           sum, and to write.
// Gain      the starting point: 3.3 ms for 32,768 x 4,096 elements on an H200.
// Traffic   12 bytes read and 4 written per element, in sectors of which each lane uses 4 bytes at a time.
// Wastes    neighbouring lanes are a row apart, so each request touches 32 sectors; and a thousand rows are only a
//           thousand threads.
#include "attention.cuh"

#include <cmath>
#include <cstddef>

namespace {

constexpr int kThreadsPerBlock = 64;

__global__ void softmax_kernel(const float* x, float* y, int rows, int cols) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  const float* const from = x + static_cast<std::size_t>(row) * cols;
  float* const to = y + static_cast<std::size_t>(row) * cols;
  float maximum = -INFINITY;
  for (int c = 0; c < cols; ++c) maximum = fmaxf(maximum, from[c]);
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += expf(from[c] - maximum);
  for (int c = 0; c < cols; ++c) to[c] = expf(from[c] - maximum) / sum;
}

}  // namespace

void softmax(const float* d_x, float* d_y, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  const int blocks = (rows + kThreadsPerBlock - 1) / kThreadsPerBlock;
  softmax_kernel<<<blocks, kThreadsPerBlock>>>(d_x, d_y, rows, cols);
  CHECK(cudaGetLastError());
}
