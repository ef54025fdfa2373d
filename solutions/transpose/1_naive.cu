// Step 1 of transpose: one thread for each element.
// Idea      thread (x, y) of the grid takes the element in row y and column x to row x and column y. Lanes lie along a
//           row of the input.
// Gain      none yet: this is the baseline. 3.91 ms on an H200 for 16384 x 16384, 549 GB/s.
// Traffic   8 bytes per element, if every sector were used. A warp reads 32 neighbours in 4 sectors, but its 32 stores
//           are `rows` elements apart: 32 sectors, of each of which it writes 4 bytes.
// Wastes    28 of 32 bytes of every sector that is written. The L2 cache has to wait for the seven other stores to
//           each sector, which come from other rows of the input.
#include "transpose.cuh"

namespace {

constexpr int kTile = 32;  // a block has 32 x 32 threads, one for each element
static_assert(kTile * kTile <= 1024, "a block has at most 1024 threads");
static_assert((kMaxExtent + kTile - 1) / kTile <= 65535, "a grid has at most 65,535 blocks in y");

__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  const int c = static_cast<int>(blockIdx.x) * kTile + static_cast<int>(threadIdx.x);
  const int r = static_cast<int>(blockIdx.y) * kTile + static_cast<int>(threadIdx.y);
  if (r >= rows || c >= cols) return;
  out[static_cast<std::size_t>(c) * rows + r] = in[static_cast<std::size_t>(r) * cols + c];
}

}  // namespace

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  if (rows == 0 || cols == 0) return;  // a grid of no blocks is an error
  const dim3 block(kTile, kTile);
  const dim3 grid((cols + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_kernel<<<grid, block>>>(d_in, d_out, rows, cols);
  CHECK(cudaGetLastError());
}
