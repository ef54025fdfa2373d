// expect: spmv_csr: wrong
// The shuffles stand inside the loop along the row. All lanes are there, but those behind the row's end have nothing
// new: they hand in their last product again.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerBlock = kThreadsPerBlock / 32;

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * kRowsPerBlock + threadIdx.x / 32;
  if (row >= rows) return;
  const int end = row_offsets[row + 1];
  float sum = 0;
  float product = 0;
  for (int first = row_offsets[row]; first < end; first += 32) {
    if (first + lane < end) product = values[first + lane] * x[columns[first + lane]];
    float of_step = product;
    for (int distance = 16; distance > 0; distance /= 2) of_step += __shfl_down_sync(0xFFFFFFFF, of_step, distance);
    sum += of_step;
  }
  if (lane == 0) y[row] = sum;
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  spmv_kernel<<<(rows - 1) / kRowsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
}
