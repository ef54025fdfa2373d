// expect: spmv_csr: right
// One row a thread.
// The differences next to it spoil it in one way each.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  const int row = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j) sum += values[j] * x[columns[j]];
  y[row] = sum;
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  spmv_kernel<<<(rows - 1) / kThreadsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y,
                                                                       rows);
}
