// expect: spmv_csr: right
// Each thread takes as many rows and entries together as any other.
// The differences next to it spoil it in one way each.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 7;

__device__ int rows_before(long long k, const int32_t* row_ends, int rows, int nnz) {
  long long low = k > nnz ? k - nnz : 0;
  long long high = k < rows ? k : rows;
  while (low < high) {
    const long long i = low + (high - low) / 2;
    if (row_ends[i] <= k - 1 - i)
      low = i + 1;
    else
      high = i;
  }
  return low;
}

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows, int nnz) {
  const long long steps = (long long)rows + nnz;
  const long long first = ((long long)blockIdx.x * kThreadsPerBlock + threadIdx.x) * kItemsPerThread;
  if (first >= steps) return;
  int row = rows_before(first, row_offsets + 1, rows, nnz);
  int j = first - row;
  bool is_whole = row < rows && row_offsets[row] == j;
  float sum = 0;
  for (int v = 0; v < kItemsPerThread && first + v < steps; ++v) {
    if (row == rows || j < row_offsets[row + 1]) {
      sum += values[j] * x[columns[j]];
      ++j;
    } else {
      if (is_whole)
        y[row] = sum;
      else
        atomicAdd(&y[row], sum);
      sum = 0;
      is_whole = true;
      ++row;
    }
  }
  if (row < rows && j > row_offsets[row]) atomicAdd(&y[row], sum);
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  cudaMemsetAsync(d_y, 0, rows * sizeof(float));
  const int items = kThreadsPerBlock * kItemsPerThread;
  spmv_kernel<<<((long long)rows + nnz + items - 1) / items, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values,
                                                                                 d_x, d_y, rows, nnz);
}
