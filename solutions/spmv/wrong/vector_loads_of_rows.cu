// expect: spmv_csr: cuda error; memcheck
// A row is read four entries at a time. But it begins anywhere, and 16 bytes begin at multiples of 16.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  const int row = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  int j = row_offsets[row];
  for (; j + 4 <= row_offsets[row + 1]; j += 4) {
    const float4 a = *reinterpret_cast<const float4*>(values + j);
    const int4 c = *reinterpret_cast<const int4*>(columns + j);
    sum += a.x * x[c.x] + a.y * x[c.y] + a.z * x[c.z] + a.w * x[c.w];
  }
  for (; j < row_offsets[row + 1]; ++j) sum += values[j] * x[columns[j]];
  y[row] = sum;
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  spmv_kernel<<<(rows - 1) / kThreadsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y,
                                                                       rows);
}
