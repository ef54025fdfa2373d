// Step 7 of matmul: tiles arrive while others are being multiplied.
// Idea      asynchronous copies (cp.async) go from global to shared memory without passing through registers. There is
//           room for four tiles: one is multiplied while three are on their way. Within a tile, the numbers for the
//           next position along k are loaded into registers while those for this one are multiplied.
// Gain      x 1.31 on an H200 (4096 x 4096 x 4096): 46.7 TFLOP/s. Multiplying no longer has to wait for memory, and
//           there is one barrier per tile instead of two.
// Traffic   as before: 32 flops per byte from global memory; 1 byte per product from shared memory.
// Wastes    a warp's part of the tile is long and thin, 16 x 128: nearly all that its lanes read is different. And A
//           takes 4 bytes per copy, since it is transposed on its way: 4 copies per thread and tile, next to 512
//           products.
#include "matmul.cuh"

#include <cuda_pipeline.h>

namespace {

constexpr int kTileRows = 128;
constexpr int kTileCols = 128;
constexpr int kTileDepth = 8;  // along k
constexpr int kStages = 4;     // tiles in shared memory
constexpr int kRowsPerThread = 8;
constexpr int kColsPerThread = 8;
constexpr int kThreadRows = kTileRows / kRowsPerThread;  // 16 x 16 threads, each with 2 x 2 squares of 4 x 4 elements
constexpr int kThreadCols = kTileCols / kColsPerThread;
constexpr int kThreadsPerBlock = kThreadRows * kThreadCols;
constexpr int kBlocksAtATime = 2;  // on a multiprocessor
constexpr int kPadding = 4;        // floats at the end of a line of A's tile: see copy_a
static_assert(kThreadsPerBlock <= 1024, "a block has at most 1024 threads");
static_assert(kThreadsPerBlock * kBlocksAtATime * 128 <= 65536, "the blocks must fit with 128 registers a thread");
static_assert(kThreadsPerBlock % kTileDepth == 0, "a thread copies the same column of A's tile in each of its rows");
static_assert(kTileRows * kTileDepth % kThreadsPerBlock == 0, "all threads copy equally many elements of A's tile");
static_assert(kTileDepth * kTileCols % (4 * kThreadsPerBlock) == 0,
              "all threads copy equally many vectors of B's tile");
static_assert((kTileRows + kPadding) % 4 == 0, "each line of A's tile must begin at a multiple of 16 bytes");
static_assert(kStages >= 2, "one tile is multiplied while another one arrives");
static_assert(kTileDepth % 2 == 0, "two sets of registers take turns, and each tile begins with the first of them");
static_assert((kMaxExtent + kTileRows - 1) / kTileRows <= 65535, "a grid has at most 65,535 blocks in y");

struct Stage {
  float a[kTileDepth][kTileRows + kPadding];  // transposed
  float b[kTileDepth][kTileCols];
};
static_assert(sizeof(Stage) % 16 == 0, "vectors in every stage must lie at multiples of 16 bytes");
static_assert(kStages * sizeof(Stage) <= 48 * 1024, "the stages must fit into 48 KiB of shared memory");

// Starts to copy kFloats adjacent elements, or fills their place with zeros; then nothing is read at `from`.
template <int kFloats>
__device__ void copy_or_clear(float* to, const float* from, bool is_inside) {
  constexpr int kBytes = kFloats * static_cast<int>(sizeof(float));
  __pipeline_memcpy_async(to, from, kBytes, is_inside ? 0 : kBytes);
}

// Starts to copy A's tile, element by element, so that it arrives transposed; rows may begin at any address. A warp
// copies 8 elements along k of 4 rows: whole sectors. With lines of 132 floats, they go to 32 different banks.
template <bool kWhole>
__device__ void copy_a(Stage& stage, const float* a, int m, int k, int tile_row, int first) {
  constexpr int kRowsAtATime = kThreadsPerBlock / kTileDepth;
  const int p = static_cast<int>(threadIdx.x) % kTileDepth;
  const int row = static_cast<int>(threadIdx.x) / kTileDepth;
  const std::size_t step = static_cast<std::size_t>(kRowsAtATime) * k;
  const float* from = a + static_cast<std::size_t>(tile_row + row) * k + first + p;
#pragma unroll
  for (int i = 0; i < kTileRows; i += kRowsAtATime, from += step) {
    const bool is_inside = kWhole || (tile_row + row + i < m && first + p < k);
    copy_or_clear<1>(&stage.a[p][row + i], is_inside ? from : a, is_inside);
  }
}

// Starts to copy B's tile: 16 bytes at a time if n is a multiple of 4, element by element otherwise.
template <bool kWhole, bool kAligned>
__device__ void copy_b(Stage& stage, const float* b, int n, int k, int tile_col, int first) {
  constexpr int kFloats = kAligned ? 4 : 1;
  constexpr int kThreadsInARow = kTileCols / kFloats;
  constexpr int kRowsAtATime = kThreadsPerBlock / kThreadsInARow;
  static_assert(kThreadsPerBlock % kThreadsInARow == 0, "the threads copy whole rows of B's tile at a time");
  const int p = static_cast<int>(threadIdx.x) / kThreadsInARow;
  const int col = static_cast<int>(threadIdx.x) % kThreadsInARow * kFloats;
  const std::size_t step = static_cast<std::size_t>(kRowsAtATime) * n;
  const float* from = b + static_cast<std::size_t>(first + p) * n + tile_col + col;
#pragma unroll
  for (int i = 0; i < kTileDepth; i += kRowsAtATime, from += step) {
    const bool is_inside = kWhole || (first + p + i < k && tile_col + col < n);
    copy_or_clear<kFloats>(&stage.b[p + i][col], is_inside ? from : b, is_inside);
  }
}

// Stores four adjacent elements of a row, from a column on that is a multiple of 4, except those outside the matrix.
template <bool kAligned>
__device__ void store_four(float* matrix, int rows, int cols, int row, int col, float4 four) {
  if (row >= rows || col >= cols) return;
  float* at = matrix + static_cast<std::size_t>(row) * cols + col;
  if (kAligned) {
    *reinterpret_cast<float4*>(at) = four;
    return;
  }
  const int left = cols - col;
  at[0] = four.x;
  if (left > 1) at[1] = four.y;
  if (left > 2) at[2] = four.z;
  if (left > 3) at[3] = four.w;
}

template <bool kAligned>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksAtATime)
    matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ __align__(16) Stage stages[kStages];
  const int t = static_cast<int>(threadIdx.x);
  const int tile_row = static_cast<int>(blockIdx.y) * kTileRows;  // of C
  const int tile_col = static_cast<int>(blockIdx.x) * kTileCols;
  const int tx = t % kThreadCols;  // columns 4 tx ... 4 tx + 3, and the same 64 further on
  const int ty = t / kThreadCols;  // rows likewise

  // Tiles past the end consist of zeros. Every tile is a separate batch, and batches arrive in order.
  const bool is_inside = tile_row + kTileRows <= m && tile_col + kTileCols <= n;  // the same for the whole block
  const auto begin_copy = [&](int tile) {
    Stage& stage = stages[tile % kStages];
    const int first = tile * kTileDepth;
    if (is_inside && first + kTileDepth <= k) {
      copy_a<true>(stage, a, m, k, tile_row, first);
      copy_b<true, kAligned>(stage, b, n, k, tile_col, first);
    } else {
      copy_a<false>(stage, a, m, k, tile_row, first);
      copy_b<false, kAligned>(stage, b, n, k, tile_col, first);
    }
    __pipeline_commit();
  };
  // Afterwards all batches but the last kStages - 2 have arrived, those of all threads.
  const auto wait_for_next = [] {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
  };

  float left[2][kRowsPerThread];
  float right[2][kColsPerThread];
  const auto load_registers = [&](int set, const Stage& stage, int p) {
#pragma unroll
    for (int i = 0; i < kRowsPerThread; i += 4)
      *reinterpret_cast<float4*>(&left[set][i]) =
          *reinterpret_cast<const float4*>(&stage.a[p][4 * ty + i * kThreadRows]);
#pragma unroll
    for (int j = 0; j < kColsPerThread; j += 4)
      *reinterpret_cast<float4*>(&right[set][j]) =
          *reinterpret_cast<const float4*>(&stage.b[p][4 * tx + j * kThreadCols]);
  };

  float sums[kRowsPerThread][kColsPerThread] = {};
  const int tiles = (k + kTileDepth - 1) / kTileDepth;
  for (int tile = 0; tile < kStages - 1; ++tile) begin_copy(tile);
  wait_for_next();
  load_registers(0, stages[0], 0);
  for (int tile = 0; tile < tiles; ++tile) {
#pragma unroll
    for (int p = 0; p < kTileDepth; ++p) {
      const int set = p % 2;
      if (p + 1 < kTileDepth) {
        load_registers(1 - set, stages[tile % kStages], p + 1);
      } else {
        // After this barrier all threads have what they need from this tile: the next copy may go into its stage.
        wait_for_next();
        load_registers(1 - set, stages[(tile + 1) % kStages], 0);
      }
      if (p == 0) begin_copy(tile + kStages - 1);
#pragma unroll
      for (int i = 0; i < kRowsPerThread; ++i)
#pragma unroll
        for (int j = 0; j < kColsPerThread; ++j) sums[i][j] += left[set][i] * right[set][j];
    }
  }
  __pipeline_wait_prior(0);  // of tiles of zeros, but a block must not end before what it asked for has arrived
#pragma unroll
  for (int i = 0; i < kRowsPerThread; ++i)
#pragma unroll
    for (int j = 0; j < kColsPerThread; j += 4)
      store_four<kAligned>(c, m, n, tile_row + 4 * ty + i / 4 * 4 * kThreadRows + i % 4,
                           tile_col + 4 * tx + j * kThreadCols,
                           make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]));
}

}  // namespace

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;  // a grid of no blocks is an error; with k == 0 there are zeros to store
  const dim3 grid((n + kTileCols - 1) / kTileCols, (m + kTileRows - 1) / kTileRows);
  if (n % 4 == 0)
    matmul_kernel<true><<<grid, kThreadsPerBlock>>>(d_a, d_b, d_c, m, n, k);
  else
    matmul_kernel<false><<<grid, kThreadsPerBlock>>>(d_a, d_b, d_c, m, n, k);
  CHECK(cudaGetLastError());
}
