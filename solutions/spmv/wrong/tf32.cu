// expect: spmv_csr: wrong; misconception = "factors rounded to TF32"
// Values and x are rounded to TF32, as the tensor cores would have them: right for whole numbers, not for others.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;

__device__ float tf32(float x) {
  const unsigned bits = __float_as_uint(x);
  return __uint_as_float((bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFFu);
}

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  const int row = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int j = row_offsets[row]; j < row_offsets[row + 1]; ++j) sum += tf32(values[j]) * tf32(x[columns[j]]);
  y[row] = sum;
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  spmv_kernel<<<(rows - 1) / kThreadsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y,
                                                                       rows);
}
