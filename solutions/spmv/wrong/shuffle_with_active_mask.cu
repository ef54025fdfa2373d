// expect: spmv_csr: wrong
// The mask is whichever lanes happen to be there, and the distances begin at half as many. Where their number is no
// power of two, a lane is left over at some step, and nobody adds it.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerBlock = kThreadsPerBlock / 32;

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int j = row_offsets[row] + lane; j < row_offsets[row + 1]; j += 32) {
    const unsigned active = __activemask();
    float product = values[j] * x[columns[j]];
    for (int distance = __popc(active) / 2; distance > 0; distance /= 2)
      product += __shfl_down_sync(active, product, distance);
    sum += product;
  }
  if (lane == 0) y[row] = sum;
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  spmv_kernel<<<(rows - 1) / kRowsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
}
