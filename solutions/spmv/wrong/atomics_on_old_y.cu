// expect: spmv_csr: wrong; initcheck; misconception = "added to the old y"
// One thread an entry, which adds its product to its row by an atomic: nobody has set y to 0.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;

__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows, int nnz) {
  const int j = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (j >= nnz) return;
  int low = 0;
  int high = rows - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (row_offsets[middle + 1] <= j)
      low = middle + 1;
    else
      high = middle;
  }
  atomicAdd(&y[low], values[j] * x[columns[j]]);
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (nnz == 0) return;
  spmv_kernel<<<(nnz - 1) / kThreadsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y,
                                                                      rows, nnz);
}
