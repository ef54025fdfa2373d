// expect: spmv_csr: wrong; misconception = "sums of several rows added"
// Eight lanes a row, but the shuffles reach across the whole warp: sums of other rows are added.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  const int lane = threadIdx.x % 8;
  const int row = (blockIdx.x * kThreadsPerBlock + threadIdx.x) / 8;
  float sum = 0;
  for (int j = row < rows ? row_offsets[row] + lane : 0; row < rows && j < row_offsets[row + 1]; j += 8)
    sum += values[j] * x[columns[j]];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(0xFFFFFFFF, sum, distance);
  if (lane == 0 && row < rows) y[row] = sum;
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  spmv_kernel<<<(rows - 1) / (kThreadsPerBlock / 8) + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x,
                                                                             d_y, rows);
}
