// Step 1 of matmul: one thread per element of C, neighbouring threads one below another.
// Idea      the two outer loops of the sequential program become a grid; the loop over k stays, in every thread.
// Gain      everything that a GPU gains over one CPU core. The yardstick of the ladder: 0.50 TFLOP/s on an H200
//           (4096 x 4096 x 4096), 277 ms.
// Traffic   8 bytes requested and 2 flops per product: 0.25 flops per byte. A warp that loads from A touches 32 rows:
//           32 sectors for 32 numbers (sectors_per_request).
// Wastes    28 of every 32 bytes in A's sectors, unless a cache keeps them for the next iterations of the loop.
#include "matmul.cuh"

namespace {

constexpr int kBlockRows = 32;  // a warp covers 32 rows of one column
constexpr int kBlockCols = 8;
static_assert(kBlockRows * kBlockCols <= 1024, "a block has at most 1024 threads");
static_assert((kMaxExtent + kBlockCols - 1) / kBlockCols <= 65535, "a grid has at most 65,535 blocks in y");

__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  const int row = static_cast<int>(blockIdx.x) * kBlockRows + static_cast<int>(threadIdx.x);
  const int col = static_cast<int>(blockIdx.y) * kBlockCols + static_cast<int>(threadIdx.y);
  if (row >= m || col >= n) return;

  float sum = 0;
  for (int p = 0; p < k; ++p) {
    const float left = a[static_cast<std::size_t>(row) * k + p];   // a different row for each lane
    const float right = b[static_cast<std::size_t>(p) * n + col];  // the same number for all 32 lanes
    sum += left * right;
  }
  c[static_cast<std::size_t>(row) * n + col] = sum;
}

}  // namespace

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;  // a grid of no blocks is an error; with k == 0 there are zeros to store
  const dim3 block(kBlockRows, kBlockCols);
  const dim3 grid((m + kBlockRows - 1) / kBlockRows, (n + kBlockCols - 1) / kBlockCols);
  matmul_kernel<<<grid, block>>>(d_a, d_b, d_c, m, n, k);
  CHECK(cudaGetLastError());
}
