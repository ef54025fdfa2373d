// expect: spmv_csr: right
// Merge path by tiles in shared memory; what is left of a row is carried over to a second kernel.
// The differences next to it spoil it in one way each.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 7;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;

template <class Index>
__device__ Index rows_before(Index k, const int32_t* row_ends, Index rows, Index entries) {
  Index low = k > entries ? k - entries : 0;
  Index high = k < rows ? k : rows;
  while (low < high) {
    const Index i = low + (high - low) / 2;
    if (row_ends[i] <= k - 1 - i)
      low = i + 1;
    else
      high = i;
  }
  return low;
}

__global__ void borders_kernel(const int32_t* row_offsets, int rows, int nnz, int tiles, int32_t* borders) {
  const int t = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (t > tiles) return;
  const long long k = min((long long)t * kTileItems, (long long)rows + nnz);
  borders[t] = rows_before<long long>(k, row_offsets + 1, rows, nnz);
}

__global__ void tiles_kernel(const int32_t* row_offsets, const int32_t* columns, const float* values, const float* x,
                             float* y, int rows, int nnz, const int32_t* borders, float* carries) {
  __shared__ int32_t row_ends[kTileItems];
  __shared__ float products[kTileItems];
  __shared__ float sums[kThreadsPerBlock];
  __shared__ bool ends[kThreadsPerBlock];
  const int thread = threadIdx.x;
  const long long first_step = (long long)blockIdx.x * kTileItems;
  const int steps = min((long long)rows + nnz - first_step, (long long)kTileItems);
  const int first_row = borders[blockIdx.x];
  const int row_count = borders[blockIdx.x + 1] - first_row;
  const int first_entry = first_step - first_row;
  const int entry_count = steps - row_count;
  for (int i = thread; i < row_count; i += kThreadsPerBlock) row_ends[i] = row_offsets[first_row + i + 1] - first_entry;
  for (int j = thread; j < entry_count; j += kThreadsPerBlock)
    products[j] = values[first_entry + j] * x[columns[first_entry + j]];
  __syncthreads();

  const int first = min(thread * kItemsPerThread, steps);
  int i = rows_before(first, row_ends, row_count, entry_count);
  int j = first - i;
  int ended_first = -1;
  float sum_of_first = 0;
  float sum = 0;
  for (int v = 0; v < kItemsPerThread && first + v < steps; ++v) {
    if (i < row_count && row_ends[i] <= j) {
      if (ended_first < 0) {
        ended_first = i;
        sum_of_first = sum;
      } else {
        y[first_row + i] = sum;
      }
      sum = 0;
      ++i;
    } else {
      sum += products[j];
      ++j;
    }
  }
  sums[thread] = sum;
  ends[thread] = ended_first >= 0;
  __syncthreads();
  float before = 0;
  for (int t = thread - 1; t >= 0; --t) {
    before += sums[t];
    if (ends[t]) break;
  }
  if (ended_first >= 0) y[first_row + ended_first] = before + sum_of_first;
  if (thread == kThreadsPerBlock - 1) carries[blockIdx.x] = ended_first >= 0 ? sum : before + sum;
}

__global__ void carries_kernel(const int32_t* borders, const float* carries, int tiles, int rows, float* y) {
  const int t = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (t < tiles && borders[t + 1] < rows) atomicAdd(&y[borders[t + 1]], carries[t]);
}

void spmv_csr(const int32_t* d_row_offsets, const int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  if (rows == 0) return;
  const int tiles = ((long long)rows + nnz + kTileItems - 1) / kTileItems;
  int32_t* d_borders;
  float* d_carries;
  cudaMalloc(&d_borders, (tiles + 1) * sizeof(int32_t));
  cudaMalloc(&d_carries, tiles * sizeof(float));
  borders_kernel<<<tiles / kThreadsPerBlock + 1, kThreadsPerBlock>>>(d_row_offsets, rows, nnz, tiles, d_borders);
  tiles_kernel<<<tiles, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows, nnz, d_borders,
                                            d_carries);
  carries_kernel<<<tiles / kThreadsPerBlock + 1, kThreadsPerBlock>>>(d_borders, d_carries, tiles, rows, d_y);
  cudaFree(d_borders);
  cudaFree(d_carries);
}
