// expect: spmv_csr: right; racecheck
// The lanes of a warp add up their sums in shared memory and are believed to be in step: without __syncwarp() a lane
// may read what another one has not written yet. It usually works.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kRowsPerBlock = kThreadsPerBlock / 32;

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  __shared__ float sums[kThreadsPerBlock];
  const int thread = threadIdx.x;
  const int lane = thread % 32;
  const int row = blockIdx.x * kRowsPerBlock + thread / 32;
  if (row >= rows) return;
  float sum = 0;
  for (int j = row_offsets[row] + lane; j < row_offsets[row + 1]; j += 32) sum += values[j] * x[columns[j]];
  sums[thread] = sum;
  for (int distance = 16; distance > 0; distance /= 2)
    if (lane < distance) sums[thread] = sums[thread] + sums[thread + distance];
  if (lane == 0) y[row] = sums[thread];
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  spmv_kernel<<<(rows - 1) / kRowsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
}
