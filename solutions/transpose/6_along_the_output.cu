// Step 6 of transpose: longer pieces of the output's rows, written one after the other.
// Idea      blocks start in the order of blockIdx.x. Let x run down the input's rows, so that blocks at work together
//           complete rows of the output; and make the tile 128 rows high, so that a warp stores 512 bytes of one row.
//           The path for any extents gets both, too.
// Gain      x 1.03 on an H200 (16384 x 16384): 4.1 TB/s, 0.97 of a copy and 1.04 of cublasSgeam. x 1.69 for 16381 x
//           16411, where fewer sectors lie on the border between two blocks, and blocks that share one run together:
//           1.05 of cublasSgeam.
// Traffic   8 bytes per element. Counters: nearly as step 5, but 32 KiB of shared memory per block.
// Wastes    with 32768 columns the reads pay for it: 8192 x 32768 takes 2 % longer than in step 5.
#include "transpose.cuh"

namespace {

constexpr int kTileRows = 128;  // of the input: the transposed tile has rows of 128
constexpr int kTileCols = 64;

// ---------------------------------------------------------------------------------------------------------------------
// Any extents: as in step 4, but a warp loads two pieces of each row and stores four.
constexpr int kWarp = 32;
constexpr int kBlockRows = 16;  // a block has 32 x 16 threads, each of which moves 16 elements of the tile
static_assert(kTileRows % kBlockRows == 0 && kTileCols % kBlockRows == 0, "whole turns cover the tile");
static_assert(kTileRows % kWarp == 0 && kTileCols % kWarp == 0, "whole pieces cover a row");
static_assert((kMaxExtent + kTileCols - 1) / kTileCols <= 65535, "a grid has at most 65,535 blocks in y");

__global__ void __launch_bounds__(kWarp* kBlockRows)
    transpose_scalars(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[kTileRows][kTileCols + 1];  // [row][column] of the input; the 65th column stays empty
  const int tx = static_cast<int>(threadIdx.x);     // 0 ... 31, the lane
  const int ty = static_cast<int>(threadIdx.y);     // 0 ... 15, the same for the whole warp
  const int first_row = static_cast<int>(blockIdx.x) * kTileRows;  // the next block goes on in the same output rows
  const int first_col = static_cast<int>(blockIdx.y) * kTileCols;

#pragma unroll
  for (int down = 0; down < kTileRows; down += kBlockRows)
#pragma unroll
    for (int across = 0; across < kTileCols; across += kWarp) {
      const int y = down + ty, x = across + tx;
      const int row = first_row + y;
      const int col = first_col + x;
      if (row < rows && col < cols) tile[y][x] = in[static_cast<std::size_t>(row) * cols + col];
    }
  __syncthreads();  // the tile is complete

#pragma unroll
  for (int down = 0; down < kTileCols; down += kBlockRows)
#pragma unroll
    for (int across = 0; across < kTileRows; across += kWarp) {
      const int y = down + ty, x = across + tx;
      const int out_row = first_col + y;
      const int out_col = first_row + x;
      if (out_row < cols && out_col < rows) out[static_cast<std::size_t>(out_row) * rows + out_col] = tile[x][y];
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Where both extents are multiples of four, every row of both matrices begins at a multiple of 16 bytes.
constexpr int kVector = 4;
constexpr int kRowVectors = kTileCols / kVector;     // in a row of the tile: 16
constexpr int kOutVectors = kTileRows / kVector;     // in a row of the transposed tile: 32, one for each lane
constexpr int kThreads = kRowVectors * kOutVectors;  // each thread moves a square of 4 x 4
constexpr int kWarpRows = kThreads / kOutVectors;    // rows of the transposed tile that the block stores at a time
static_assert(sizeof(float4) == kVector * sizeof(float), "a float4 is four floats side by side");
static_assert(kTileRows * kTileCols * sizeof(float) <= 48 * 1024, "the tile fits static shared memory");

// Where vector v of row c of the transposed tile is kept. Shared memory serves a request for 16 bytes a lane eight
// lanes at a time, and eight vectors fill its 32 banks. With the exclusive or, eight neighbours in a row lie in
// different banks, and so do the same vectors of rows 4 apart, which is what eight lanes store.
__device__ int place(int c, int v) { return v ^ (c / kVector % 8); }

__global__ void __launch_bounds__(kThreads) transpose_vectors(const float* in, float* out, int rows, int cols) {
  __shared__ float4 tile[kTileCols][kOutVectors];  // [column][four rows] of the input: already transposed
  const int thread = static_cast<int>(threadIdx.x);
  const int first_row = static_cast<int>(blockIdx.x) * kTileRows;  // the next block goes on in the same output rows
  const int first_col = static_cast<int>(blockIdx.y) * kTileCols;

  // A square of 4 x 4: rows row ... row + 3, columns col ... col + 3. It lies inside the matrix or outside, as a whole.
  const int x = thread % kRowVectors;  // 0 ... 15
  const int y = thread / kRowVectors;  // 0 ... 31
  const int row = first_row + kVector * y;
  const int col = first_col + kVector * x;
  if (row < rows && col < cols) {
    float4 v[kVector];
#pragma unroll
    for (int k = 0; k < kVector; ++k)
      v[k] = *reinterpret_cast<const float4*>(in + static_cast<std::size_t>(row + k) * cols + col);
    const int to = place(kVector * x, y);  // the same for all four columns
    tile[kVector * x + 0][to] = make_float4(v[0].x, v[1].x, v[2].x, v[3].x);
    tile[kVector * x + 1][to] = make_float4(v[0].y, v[1].y, v[2].y, v[3].y);
    tile[kVector * x + 2][to] = make_float4(v[0].z, v[1].z, v[2].z, v[3].z);
    tile[kVector * x + 3][to] = make_float4(v[0].w, v[1].w, v[2].w, v[3].w);
  }
  __syncthreads();  // the tile is complete

  const int lane = thread % kOutVectors;
  const int out_col = first_row + kVector * lane;
#pragma unroll
  for (int down = 0; down < kTileCols; down += kWarpRows) {
    const int c = down + thread / kOutVectors;
    const int out_row = first_col + c;
    if (out_row < cols && out_col < rows) {
      const float4 v = tile[c][place(c, lane)];
      auto* const to = reinterpret_cast<float4*>(out + static_cast<std::size_t>(out_row) * rows + out_col);
      *to = make_float4(v.x, v.y, v.z, v.w);  // clang copies a whole float4 as two halves
    }
  }
}

}  // namespace

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  if (rows == 0 || cols == 0) return;  // a grid of no blocks is an error
  const dim3 grid((rows + kTileRows - 1) / kTileRows, (cols + kTileCols - 1) / kTileCols);  // x along the output's rows
  if (rows % kVector == 0 && cols % kVector == 0)
    transpose_vectors<<<grid, kThreads>>>(d_in, d_out, rows, cols);
  else
    transpose_scalars<<<grid, dim3(kWarp, kBlockRows)>>>(d_in, d_out, rows, cols);
  CHECK(cudaGetLastError());
}
