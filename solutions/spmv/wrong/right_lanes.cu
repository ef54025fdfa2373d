// expect: spmv_csr: right
// As many lanes per row as the mean row has entries.
// The differences next to it spoil it in one way each.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;

template <int kLanes>
__global__ void spmv_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                            float* y, int rows) {
  const int lane = threadIdx.x % kLanes;
  const long long row = ((long long)blockIdx.x * kThreadsPerBlock + threadIdx.x) / kLanes;
  const int end = row < rows ? row_offsets[row + 1] : 0;
  float sum = 0;
  for (int j = row < rows ? row_offsets[row] + lane : 0; j < end; j += kLanes) sum += values[j] * x[columns[j]];
  for (int distance = kLanes / 2; distance > 0; distance /= 2)
    sum += __shfl_down_sync(0xFFFFFFFF, sum, distance, kLanes);
  if (lane == 0 && row < rows) y[row] = sum;
}

template <int kLanes>
void launch(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x, float* d_y,
            int rows) {
  const long long threads = (long long)rows * kLanes;
  spmv_kernel<kLanes>
      <<<(threads - 1) / kThreadsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  const int mean = nnz / rows;
  if (mean <= 2)
    launch<2>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
  else if (mean <= 4)
    launch<4>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
  else if (mean <= 8)
    launch<8>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
  else if (mean <= 16)
    launch<16>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
  else
    launch<32>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
}
