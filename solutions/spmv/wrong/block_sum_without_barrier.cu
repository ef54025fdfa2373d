// expect: spmv_csr: wrong; racecheck
// A block a row: threads add up what others may not have written yet.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  __shared__ float sums[kThreadsPerBlock];
  const int row = blockIdx.x;
  float sum = 0;
  for (int j = row_offsets[row] + threadIdx.x; j < row_offsets[row + 1]; j += kThreadsPerBlock)
    sum += values[j] * x[columns[j]];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int distance = kThreadsPerBlock / 2; distance > 0; distance /= 2)
    if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
  if (threadIdx.x == 0) y[row] = sums[0];
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  spmv_kernel<<<rows, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
}
