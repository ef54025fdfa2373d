// Step 5 of spmv_csr: the merge path, an equal share per thread.
// Idea      the work is the list of row ends merged with the list of entries: an entry is multiplied and added, at a
//           row end the sum is stored. Every thread takes 7 steps of this one path, wherever they lie. A search tells
//           it where its share begins; the parts of a row that spans several shares are added by atomics to a y that
//           was cleared first.
// Leap      begins anew from step 1. Most of the lines that differ are those of step 4, which are gone.
// Gain      balance, for every matrix, without sorting: the number of steps is rows + nnz, and a long row is shared
//           among many threads. Counters, for rows of all lengths: fewer requests and warp instructions than any step
//           before, and they depend little on the shape: 18,285 requests for rows of 1024 and 39,735 for rows of 2,
//           where step 2 has 12,544 and 327,680. In time x 1.25 on an H200 for Poisson, but x 0.81 for R-MAT, where
//           step 4's classes are balanced enough: what is wasted below costs more than the remaining balance gains.
// Traffic   8 bytes per entry, but lanes are 7 steps apart: a load touches up to 7 times the sectors that it needs. The
//           search reads log2(rows) offsets per thread, and clearing y writes another 4 bytes per row.
// Wastes    sectors, three times those of step 4, and the searches. Atomics, 3,007 requests instead of 74: those of a
//           long row all go to one address.
#include "spmv.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 7;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

// How many of the path's first k steps are row ends. Row i's end comes before entry j if no entry of row i is left by
// then: row_ends[i] <= j. So this is the co-rank of a merge with the numbers 0, 1, 2, ..., which need not be stored.
__device__ int rows_before(std::int64_t k, const std::int32_t* row_ends, int rows, int nnz) {
  std::int64_t low = k > nnz ? k - nnz : 0;  // there are nnz entries, so at least k - nnz steps are row ends
  std::int64_t high = k < rows ? k : rows;
  while (low < high) {  // the answer is in [low, high]
    const std::int64_t i = low + (high - low) / 2;
    if (row_ends[i] <= k - 1 - i)  // row end i comes before entry k - 1 - i: i row ends are too few
      low = i + 1;
    else
      high = i;
  }
  return static_cast<int>(low);
}

__global__ void spmv_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                            const float* x, float* y, int rows, int nnz) {
  const std::int64_t steps = std::int64_t{rows} + nnz;
  const std::int64_t first = (std::int64_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) * kItemsPerThread;
  if (first >= steps) return;
  const std::int32_t* row_ends = row_offsets + 1;       // rows
  int row = rows_before(first, row_ends, rows, nnz);    // 0 ... rows
  int j = static_cast<int>(first - row);                // 0 ... nnz
  bool is_whole = row < rows && row_offsets[row] == j;  // no other thread has a part of this row before this one
  int row_end = row < rows ? row_ends[row] : nnz;
  float sum = 0;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    if (first + v >= steps) return;  // the path ends with a row end: nothing is left over
    if (j < row_end) {
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
      row_end = row < rows ? row_ends[row] : nnz;
    }
  }
  // The row continues in later shares. (Or it begins with the next one: then there is nothing to add.)
  if (row < rows && j > row_offsets[row]) atomicAdd(&y[row], sum);
}

}  // namespace

void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int /*cols*/, int nnz) {
  if (rows == 0) return;  // a grid of no blocks is an error
  CHECK(cudaMemsetAsync(d_y, 0, sizeof(float) * rows));
  constexpr std::int64_t kBlockItems = kThreadsPerBlock * kItemsPerThread;
  const auto blocks = static_cast<unsigned>((std::int64_t{rows} + nnz + kBlockItems - 1) / kBlockItems);
  spmv_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows, nnz);
  CHECK(cudaGetLastError());
}
