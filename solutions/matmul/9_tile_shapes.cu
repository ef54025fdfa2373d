// Step 9 of matmul: tiles as large as possible, but small enough to occupy all multiprocessors.
// Idea      how fast a product is depends on how evenly its tiles can be dealt out. So there are four shapes of tiles,
//           and the host chooses by the extents and the number of multiprocessors (cost). A small tile does not have
//           enough elements for many warps; so the warps of a block share the depth: each slice of it is summed up by a
//           warp of its own, and the block adds up the slices at the end. That needs no memory besides the block's own,
//           and the order of addition is always the same.
// Leap      every constant of step 8 becomes a member of a shape, which touches nearly every line. New are the slices
//           of the depth and the choice of a shape, at the end of the kernel and of the file.
// Gain      on an H200, 1.2 times the rate of cuBLAS for 1024 x 1024 x 1024, where step 8 has 0.6 times, and 1.8 times
//           for 256 x 256 x 256. With many tiles, little: x 1.03 for 4096 x 4096 x 4096, 1.01 times the rate of cuBLAS.
//           A tile of 128 x 256 takes fewer copies than two of 128 x 128.
// Traffic   43 flops per byte with a tile of 128 x 256, but only 5 with 16 x 32; what is loaded again and again then
//           comes from the L2 cache.
// Wastes    few elements with long sums: 256 x 256 x 8192 takes 1.7 times as long as cuBLAS, since all 8192 products of
//           an element are added up in one block. It would take several blocks per tile.
#include "matmul.cuh"

#include <cuda_pipeline.h>
#include <algorithm>
#include <cmath>

namespace {

constexpr int kStripDepth = 8;  // along k: what a warp copies of A at a time
constexpr int kPadding = 4;     // floats at the end of a line of A's tile: see copy_a

// How a block works: on a tile of C that its warps divide, and in slices of the depth that it sums up separately.
template <int kRows, int kCols, int kRowsOfWarp, int kColsOfWarp, int kLanesDownWarp, int kDepthOfSlice,
          int kSliceCount, int kStageCount, int kBlocks>
struct Shape {
  static constexpr int kTileRows = kRows;
  static constexpr int kTileCols = kCols;
  static constexpr int kWarpRows = kRowsOfWarp;
  static constexpr int kWarpCols = kColsOfWarp;
  static constexpr int kWarpsAcross = kTileCols / kWarpCols;
  static constexpr int kLanesDown = kLanesDownWarp;
  static constexpr int kLanesAcross = 32 / kLanesDown;
  static constexpr int kRowsPerThread = kWarpRows / kLanesDown;
  static constexpr int kColsPerThread = kWarpCols / kLanesAcross;
  static constexpr int kVectorsPerThread = kRowsPerThread * kColsPerThread / 4;  // of sums
  static constexpr int kSliceDepth = kDepthOfSlice;                              // along k
  static constexpr int kSlices = kSliceCount;
  static constexpr int kTileDepth = kSliceDepth * kSlices;
  static constexpr int kStages = kStageCount;     // tiles in shared memory
  static constexpr int kBlocksAtATime = kBlocks;  // on a multiprocessor
  static constexpr int kThreadsPerSlice = 32 * (kTileRows / kWarpRows) * kWarpsAcross;
  static constexpr int kThreadsPerBlock = kThreadsPerSlice * kSlices;
  static constexpr int kRowsAtATime = kThreadsPerBlock / kStripDepth;  // of A's tile, in a copy

  struct Stage {
    float a[kTileDepth][kTileRows + kPadding];  // transposed
    float b[kTileDepth][kTileCols];
  };
  static constexpr int kBytesOfStages = kStages * static_cast<int>(sizeof(Stage));
  static constexpr int kBytesOfSums = kSlices * kTileRows * kTileCols * static_cast<int>(sizeof(float));
  static constexpr int kBytes = kSlices > 1 && kBytesOfSums > kBytesOfStages ? kBytesOfSums : kBytesOfStages;

  static_assert(kRowsPerThread % 4 == 0 && kColsPerThread % 4 == 0, "a thread has vectors of rows and of columns");
  static_assert(kTileDepth % kStripDepth == 0, "a tile consists of whole strips");
  static_assert(kTileRows % kRowsAtATime == 0, "all threads copy equally many elements of A's tile");
  static_assert(kTileDepth * kTileCols % (4 * kThreadsPerBlock) == 0, "all threads copy equally much of B's tile");
  static_assert(kThreadsPerBlock % kTileCols == 0, "the threads copy whole lines of B's tile at a time");
  static_assert(kSliceDepth % 2 == 0, "two sets of registers take turns, and each tile begins with the first of them");
  static_assert(kStages >= 2, "one tile is multiplied while another one arrives");
  static_assert(sizeof(Stage) % 16 == 0, "vectors in every stage must lie at multiples of 16 bytes");
};

// Starts to copy kFloats adjacent elements, or fills their place with zeros; then nothing is read at `from`.
template <int kFloats>
__device__ void copy_or_clear(float* to, const float* from, bool is_inside) {
  constexpr int kBytes = kFloats * static_cast<int>(sizeof(float));
  __pipeline_memcpy_async(to, from, kBytes, is_inside ? 0 : kBytes);
}

// The copies of a thread, tile after tile along k.
template <class S, bool kAligned>
class Copies {
 public:
  __device__ Copies(const float* a, const float* b, int m, int n, int k, int tile_row, int tile_col)
      : a_(a), b_(b), n_(n), k_(k), rows_(m - tile_row), cols_(n - tile_col), depth_(k) {
    next_a_ = a + static_cast<std::size_t>(tile_row + a_row()) * k + a_depth();
    next_b_ = b + static_cast<std::size_t>(b_depth()) * n + tile_col + b_col();
  }

  // Starts those of the next tile, if there is one, as a batch of their own.
  __device__ void begin(typename S::Stage& stage) {
    if (rows_ >= S::kTileRows && cols_ >= S::kTileCols && depth_ >= S::kTileDepth) {
      copy_a<true>(stage);
      copy_b<true>(stage);
    } else if (depth_ > 0) {
      copy_a<false>(stage);
      copy_b<false>(stage);
    }
    __pipeline_commit();
    next_a_ += S::kTileDepth;
    next_b_ += static_cast<std::size_t>(S::kTileDepth) * n_;
    depth_ -= S::kTileDepth;
  }

 private:
  static constexpr int kFloats = kAligned ? 4 : 1;  // of B at a time
  static constexpr int kThreadsInALine = S::kTileCols / kFloats;
  static __device__ int a_depth() { return static_cast<int>(threadIdx.x) % kStripDepth; }
  static __device__ int a_row() { return static_cast<int>(threadIdx.x) / kStripDepth; }
  static __device__ int b_depth() { return static_cast<int>(threadIdx.x) / kThreadsInALine; }
  static __device__ int b_col() { return static_cast<int>(threadIdx.x) % kThreadsInALine * kFloats; }

  // Element by element, so that it arrives transposed; rows may begin at any address. A warp copies strips of 8
  // elements along k of 4 rows, which are whole sectors, to 32 different banks.
  template <bool kWhole>
  __device__ void copy_a(typename S::Stage& stage) const {
#pragma unroll
    for (int i = 0; i < S::kTileRows; i += S::kRowsAtATime)
#pragma unroll
      for (int p = 0; p < S::kTileDepth; p += kStripDepth) {
        const bool is_inside = kWhole || (a_row() + i < rows_ && a_depth() + p < depth_);
        copy_or_clear<1>(&stage.a[a_depth() + p][a_row() + i],
                         is_inside ? next_a_ + static_cast<std::size_t>(i) * k_ + p : a_, is_inside);
      }
  }

  // 16 bytes at a time if n is a multiple of 4, element by element otherwise.
  template <bool kWhole>
  __device__ void copy_b(typename S::Stage& stage) const {
#pragma unroll
    for (int p = 0; p < S::kTileDepth; p += S::kThreadsPerBlock / kThreadsInALine) {
      const bool is_inside = kWhole || (b_depth() + p < depth_ && b_col() < cols_);
      copy_or_clear<kFloats>(&stage.b[b_depth() + p][b_col()],
                             is_inside ? next_b_ + static_cast<std::size_t>(p) * n_ : b_, is_inside);
    }
  }

  const float* a_;
  const float* b_;
  const float* next_a_;
  const float* next_b_;
  int n_, k_;
  int rows_, cols_, depth_;  // from the tile's first element to the end of the matrices
};

// What a block stores: its tile without the part that is outside or belongs to another block.
template <bool kAligned>
struct Window {
  float* c;
  int cols, top, bottom, front, back;
  __device__ void store(int row, int col, float4 four) const {
    if (row < top || row >= bottom) return;
    float* at = c + static_cast<std::size_t>(row) * cols + col;
    if constexpr (kAligned) {
      if (col >= front && col < back) *reinterpret_cast<float4*>(at) = four;
    } else {
      const float each[] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (col + j >= front && col + j < back) at[j] = each[j];
    }
  }
};

template <class S, bool kAligned>
__global__ void __launch_bounds__(S::kThreadsPerBlock, S::kBlocksAtATime)
    matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  extern __shared__ float4 memory[];  // kStages stages, and in the end the sums of all slices
  auto* const stages = reinterpret_cast<typename S::Stage*>(memory);
  const int slice = static_cast<int>(threadIdx.x) / S::kThreadsPerSlice;
  const int t = static_cast<int>(threadIdx.x) % S::kThreadsPerSlice;
  const int top = static_cast<int>(blockIdx.y) * S::kTileRows;
  const int front = static_cast<int>(blockIdx.x) * S::kTileCols;
  // The last tiles move back into the matrix, if it is large enough: then only the end of k has to be checked.
  const int tile_row = max(0, min(top, m - S::kTileRows));
  const int tile_col = max(0, min(front, n - S::kTileCols));
  const int warp = t / 32;
  const int lane = t % 32;
  // Lanes 0 and 1 are one above the other. Then 16 lanes have at most 8 different vectors of B, which shared memory
  // delivers at once.
  const int lane_row = lane / (2 * S::kLanesAcross) * 2 + lane % 2;
  const int lane_col = lane / 2 % S::kLanesAcross;
  const int my_row = warp / S::kWarpsAcross * S::kWarpRows + lane_row * 4;
  const int my_col = warp % S::kWarpsAcross * S::kWarpCols + lane_col * 4;
  const int my_depth = slice * S::kSliceDepth;

  Copies<S, kAligned> copies(a, b, m, n, k, tile_row, tile_col);
  const auto stage_after = [](int stage) { return stage + 1 == S::kStages ? 0 : stage + 1; };
  const auto wait_for_next = [] {
    __pipeline_wait_prior(S::kStages - 2);
    __syncthreads();
  };
  float left[2][S::kRowsPerThread];
  float right[2][S::kColsPerThread];
  const auto load_registers = [&](int set, const typename S::Stage& stage, int p) {
    const float* line_a = &stage.a[my_depth][my_row] + p * (S::kTileRows + kPadding);
    const float* line_b = &stage.b[my_depth][my_col] + p * S::kTileCols;
#pragma unroll
    for (int i = 0; i < S::kRowsPerThread; i += 4)
      *reinterpret_cast<float4*>(&left[set][i]) = *reinterpret_cast<const float4*>(line_a + i * S::kLanesDown);
#pragma unroll
    for (int j = 0; j < S::kColsPerThread; j += 4)
      *reinterpret_cast<float4*>(&right[set][j]) = *reinterpret_cast<const float4*>(line_b + j * S::kLanesAcross);
  };

  float sums[S::kRowsPerThread][S::kColsPerThread] = {};
  for (int stage = 0; stage < S::kStages - 1; ++stage) copies.begin(stages[stage]);
  wait_for_next();
  load_registers(0, stages[0], 0);
  int this_stage = 0;
  int next_stage = S::kStages - 1;  // into which the next copy goes
  for (int depth = 0; depth < k; depth += S::kTileDepth) {
    const typename S::Stage& stage = stages[this_stage];
    this_stage = stage_after(this_stage);
#pragma unroll
    for (int p = 0; p < S::kSliceDepth; ++p) {
      const int set = p % 2;
      if (p + 1 < S::kSliceDepth) {
        load_registers(1 - set, stage, p + 1);
      } else {
        wait_for_next();
        load_registers(1 - set, stages[this_stage], 0);
      }
      if (p == 1) {  // as in step 8
        copies.begin(stages[next_stage]);
        next_stage = stage_after(next_stage);
      }
#pragma unroll
      for (int i = 0; i < S::kRowsPerThread; ++i)  // the order of step 8
#pragma unroll
        for (int step = 0; step < S::kColsPerThread; ++step) {
          const int j = i % 2 == 0 ? S::kColsPerThread - 1 - step : step;
          sums[i][j] += left[set][i] * right[set][j];
        }
    }
  }
  __pipeline_wait_prior(0);

  const Window<kAligned> window = {c, n, top, m, front, n};
  const auto vector = [&](int v) {  // the v-th of this thread's sums
    const int i = v / (S::kColsPerThread / 4);
    const int j = v % (S::kColsPerThread / 4) * 4;
    return make_float4(sums[i][j] + 0.0F, sums[i][j + 1] + 0.0F, sums[i][j + 2] + 0.0F, sums[i][j + 3] + 0.0F);
  };
  const auto store = [&](int v, float4 four) {
    const int i = v / (S::kColsPerThread / 4);
    const int j = v % (S::kColsPerThread / 4) * 4;
    window.store(tile_row + my_row + i / 4 * 4 * S::kLanesDown + i % 4, tile_col + my_col + j * S::kLanesAcross, four);
  };
  if constexpr (S::kSlices == 1) {
#pragma unroll
    for (int v = 0; v < S::kVectorsPerThread; ++v) store(v, vector(v));
  } else {
    // The threads at the same place in all slices have sums of the same elements. They lay them side by side, in place
    // of the stages, and divide what is to be added.
    const auto place = [&](int of_slice, int v) {
      return (of_slice * S::kVectorsPerThread + v) * S::kThreadsPerSlice + t;
    };
    __syncthreads();
#pragma unroll
    for (int v = 0; v < S::kVectorsPerThread; ++v) memory[place(slice, v)] = vector(v);
    __syncthreads();
    for (int v = slice; v < S::kVectorsPerThread; v += S::kSlices) {
      float4 sum = memory[place(0, v)];
#pragma unroll
      for (int other = 1; other < S::kSlices; ++other) {
        const float4 more = memory[place(other, v)];
        sum = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z, sum.w + more.w);
      }
      store(v, sum);
    }
  }
}

int blocks_for(int extent, int tile) { return (extent + tile - 1) / tile; }

template <class S>
void launch(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  const auto kernel = n % 4 == 0 ? matmul_kernel<S, true> : matmul_kernel<S, false>;
  CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, S::kBytes));
  const dim3 grid(blocks_for(n, S::kTileCols), blocks_for(m, S::kTileRows));
  kernel<<<grid, S::kThreadsPerBlock, S::kBytes>>>(d_a, d_b, d_c, m, n, k);
  CHECK(cudaGetLastError());
}

// How long all tiles take, compared with other shapes. A multiprocessor works on kBlocksAtATime tiles in a round; fewer
// tiles take less time, but no less than half of it. `speed`: how fast many such tiles are computed, compared with
// Large ones (measured).
template <class S>
double cost(int m, int n, int multiprocessors, double speed) {
  const double tiles = static_cast<double>(blocks_for(m, S::kTileRows)) * blocks_for(n, S::kTileCols);
  const double at_a_time = static_cast<double>(multiprocessors) * S::kBlocksAtATime;
  const double whole_rounds = std::floor(tiles / at_a_time);
  const double left = std::ceil((tiles - whole_rounds * at_a_time) / multiprocessors) / S::kBlocksAtATime;
  const double rounds = whole_rounds + (left == 0 ? 0 : std::max(left, 0.5));
  return rounds * S::kBlocksAtATime * S::kTileRows * S::kTileCols / speed;
}

// Rows and columns of a tile, and of a warp's part; lanes down; depth of a slice, slices, stages; blocks at a time.
using Large = Shape<128, 256, 64, 64, 4, 16, 1, 3, 1>;
using Medium = Shape<64, 64, 64, 64, 4, 8, 4, 4, 2>;
using Small = Shape<32, 64, 32, 64, 4, 8, 4, 4, 3>;
using Tiny = Shape<16, 32, 16, 32, 4, 8, 4, 4, 4>;

}  // namespace

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;  // a grid of no blocks is an error; with k == 0 there are zeros to store
  int device = 0;
  int multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const double large = cost<Large>(m, n, multiprocessors, 1.0);
  const double medium = cost<Medium>(m, n, multiprocessors, 0.92);
  const double small = cost<Small>(m, n, multiprocessors, 0.9);
  const double tiny = cost<Tiny>(m, n, multiprocessors, 0.56);
  const double least = std::min({large, medium, small, tiny});
  if (least == large)
    launch<Large>(d_a, d_b, d_c, m, n, k);
  else if (least == medium)
    launch<Medium>(d_a, d_b, d_c, m, n, k);
  else if (least == small)
    launch<Small>(d_a, d_b, d_c, m, n, k);
  else
    launch<Tiny>(d_a, d_b, d_c, m, n, k);
}
