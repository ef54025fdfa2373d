// Step 1 of spmv_csr: one thread per row.
// Idea      rows are independent: a thread walks along its row as a CPU would, and stores the sum.
// Gain      every row has a thread of its own: the baseline of the ladder. On an H200 0.306 ms for Poisson (a cube of
//           256^3 points, rows of 7), 3.7 TB/s: the fastest of steps 1 to 8, x 1.32 over cuSPARSE's ALG1. And 11 ms
//           for R-MAT (a network of 2^22 rows): the slowest of all steps, x 0.08 of ALG1.
// Traffic   8 bytes per entry would do. But the lanes walk along 32 different rows, so that one load of columns or
//           values touches up to 32 sectors, and uses 4 bytes of each. Where rows are short, neighbouring rows share
//           sectors, and the L1 cache keeps them until the loop's next iteration takes the next 4 bytes. And where all
//           rows are alike, neighbouring lanes read neighbouring elements of x. Counters, for Poisson on 17^3 points:
//           17.7 sectors per request, yet fewer sectors at the L2 cache than in steps 2 to 8, and less than a quarter
//           of their warp instructions.
// Wastes    lanes, where rows differ: a warp is busy until its longest row ends. Counters, for rows of all lengths: 3.1
//           active lanes of 32, and load requests for every single entry of a long row. One long row among short ones
//           is the work of one thread.
#include "spmv.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

__global__ void spmv_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                            const float* x, float* y, int rows) {
  const std::int64_t row = std::int64_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... rows - 1, idle beyond
  if (row >= rows) return;
  const int end = row_offsets[row + 1];
  float sum = 0;
  for (int j = row_offsets[row]; j < end; ++j) sum += values[j] * x[columns[j]];
  y[row] = sum;  // also where the row is empty
}

}  // namespace

void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int /*cols*/, int /*nnz*/) {
  if (rows == 0) return;  // a grid of no blocks is an error
  const int blocks = static_cast<int>((std::int64_t{rows} + kThreadsPerBlock - 1) / kThreadsPerBlock);
  spmv_kernel<<<blocks, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows);
  CHECK(cudaGetLastError());
}
