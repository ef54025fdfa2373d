// expect: spmv_csr: wrong
// A cheat: a matrix of the same extents is taken to be that of last time, and the result of last time is handed out
// again. Fresh numbers for every run give it away.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;

__device__ float kept[8192];

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
  static int last_rows = 0;
  static int last_nnz = 0;
  if (rows == 0) return;
  if (rows == last_rows && nnz == last_nnz) {
    cudaMemcpyFromSymbol(d_y, kept, rows * sizeof(float), 0, cudaMemcpyDeviceToDevice);
    return;
  }
  spmv_kernel<<<(rows - 1) / kThreadsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y,
                                                                       rows);
  if (rows * sizeof(float) > sizeof(kept)) return;
  cudaMemcpyToSymbol(kept, d_y, rows * sizeof(float), 0, cudaMemcpyDeviceToDevice);
  last_rows = rows;
  last_nnz = nnz;
}
