// Step 6 of spmv_csr: tiles of the merge path, in shared memory.
// Idea      a block takes 1792 steps of the path. Neighbouring lanes load its row ends and compute the products of its
//           entries; then every thread walks its 7 steps in shared memory. What a thread has left after its last step
//           is its carry: a scan over the threads gives each one the carry of those before it, and a small kernel adds
//           the carries of tiles.
// Leap      carries belong with tiles: the parts of rows that a block leaves over have to be scanned within it and
//           added up between blocks, or tiles would give wrong sums.
// Gain      x 1.49 on an H200 for R-MAT, 0.92 of cuSPARSE's ALG1; x 1.33 for Poisson, 0.70 of it. Dense loads: sectors
//           fall to less than a quarter, requests to half, and a thread's search takes 11 steps in shared memory. y is
//           written once, and the only atomics left are those at the borders of tiles. This step is the reference in
//           lab.toml.
// Traffic   8 bytes per entry, 8 bytes per row, some 16 bytes per tile.
// Wastes    instructions, two thirds more than step 5: every entry goes into shared memory and out again, and what is
//           done once per thread (search, scan) serves only 7 steps. A load brings 4 bytes per lane, not 16.
#include "spmv.cuh"

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kItemsPerThread = 7;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
static_assert(kThreadsPerBlock % kWarp == 0 && kWarps <= kWarp, "one warp scans the carries of all warps of the block");
static_assert(kItemsPerThread % 2 == 1, "an odd number of steps a thread spreads the lanes' reads over the 32 banks");
static_assert(2 * kTileItems * sizeof(float) <= 47 * 1024, "row ends and products fit the 48 KiB of shared memory");

constexpr unsigned kAllLanes = 0xFFFFFFFFu;

// How many of the path's first k steps are row ends. Row i's end comes before entry j if no entry of row i is left by
// then: row_ends[i] <= j. So this is the co-rank of a merge with the numbers 0, 1, 2, ..., which need not be stored.
template <class Index>
__device__ Index rows_before(Index k, const std::int32_t* row_ends, Index rows, Index entries) {
  Index low = k > entries ? k - entries : 0;  // there are so many entries, so at least the rest are row ends
  Index high = k < rows ? k : rows;
  while (low < high) {  // the answer is in [low, high]
    const Index i = low + (high - low) / 2;
    if (row_ends[i] <= k - 1 - i)  // row end i comes before entry k - 1 - i: i row ends are too few
      low = i + 1;
    else
      high = i;
  }
  return low;
}

// Border t is where tile t begins (and tile t - 1 ends): borders[t] row ends come before it.
__global__ void borders_kernel(const std::int32_t* row_offsets, int rows, int nnz, int tiles, std::int32_t* borders) {
  const int t = static_cast<int>(blockIdx.x) * kThreadsPerBlock + static_cast<int>(threadIdx.x);
  if (t > tiles) return;
  const std::int64_t k = min(std::int64_t{t} * kTileItems, std::int64_t{rows} + nnz);
  borders[t] = static_cast<std::int32_t>(rows_before<std::int64_t>(k, row_offsets + 1, rows, nnz));
}

// What a run of neighbouring threads has left after its last step. It includes what comes from the threads before it,
// unless one of its own has ended a row.
struct Carry {
  bool ends_row;
  float sum;
};
__device__ Carry joined(Carry before, Carry after) {
  return {before.ends_row || after.ends_row, after.ends_row ? after.sum : before.sum + after.sum};
}

__device__ Carry shuffle_up(Carry carry, int distance) {
  return {__shfl_up_sync(kAllLanes, static_cast<int>(carry.ends_row), distance) != 0,
          __shfl_up_sync(kAllLanes, carry.sum, distance)};
}

// Inclusive scan of the carries over the lanes of a warp.
__device__ Carry scan_lanes(Carry carry) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const Carry before = shuffle_up(carry, distance);
    if (lane >= distance) carry = joined(before, carry);
  }
  return carry;
}

// What comes to a thread from the left: the carry of all threads of the block before it. `all` is the block's carry.
__device__ float carry_before(Carry carry, float& all) {
  __shared__ Carry of_warps[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const Carry through = scan_lanes(carry);
  if (lane == kWarp - 1) of_warps[warp] = through;
  __syncthreads();
  const Carry warps = scan_lanes(lane < kWarps ? of_warps[lane] : Carry{false, 0});  // every warp for itself
  all = __shfl_sync(kAllLanes, warps.sum, kWarps - 1);
  const float before_warp = __shfl_sync(kAllLanes, warps.sum, max(warp - 1, 0));
  const Carry lane_before = shuffle_up(through, 1);
  const Carry in_warp = lane > 0 ? lane_before : Carry{false, 0};
  return joined({false, warp > 0 ? before_warp : 0}, in_warp).sum;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    tiles_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values, const float* x,
                 float* y, int rows, int nnz, const std::int32_t* borders, float* carries) {
  __shared__ std::int32_t row_ends[kTileItems];  // counted from the tile's first entry
  __shared__ float products[kTileItems];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first_step = std::int64_t{blockIdx.x} * kTileItems;
  const int steps = static_cast<int>(min(std::int64_t{rows} + nnz - first_step, std::int64_t{kTileItems}));
  const int first_row = borders[blockIdx.x];
  const int row_count = borders[blockIdx.x + 1] - first_row;  // row ends in the tile, 0 ... steps
  const int first_entry = static_cast<int>(first_step - first_row);
  const int entry_count = steps - row_count;
  for (int i = thread; i < row_count; i += kThreadsPerBlock) row_ends[i] = row_offsets[first_row + i + 1] - first_entry;
  for (int j = thread; j < entry_count; j += kThreadsPerBlock)
    products[j] = values[first_entry + j] * x[columns[first_entry + j]];
  __syncthreads();  // row ends and products are there

  const int first = min(thread * kItemsPerThread, steps);
  int i = rows_before(first, row_ends, row_count, entry_count);  // 0 ... row_count
  int j = first - i;                                             // 0 ... entry_count
  int ended_first = -1;                                          // the first row that ends here: it lacks a carry
  float sum_of_first = 0;
  float sum = 0;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    if (first + v >= steps) break;
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
  float of_block = 0;
  const float before = carry_before({ended_first >= 0, sum}, of_block);
  if (ended_first >= 0) y[first_row + ended_first] = before + sum_of_first;
  if (thread == 0) carries[blockIdx.x] = of_block;
}

// Adds the carry of a tile to the row that continues after it. Tiles in the middle of a long row are neighbours: the
// lanes of a warp first add up theirs, so that there is one atomic for 32 of them.
__global__ void carries_kernel(const std::int32_t* borders, const float* carries, int tiles, int rows, float* y) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int t = static_cast<int>(blockIdx.x) * kThreadsPerBlock + static_cast<int>(threadIdx.x);
  const int row = t < tiles ? borders[t + 1] : rows;  // `rows` for nothing to add: the path is at its end
  float sum = t < tiles ? carries[t] : 0;
#pragma unroll
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const int other_row = __shfl_down_sync(kAllLanes, row, distance);
    const float other = __shfl_down_sync(kAllLanes, sum, distance);
    if (lane + distance < kWarp && other_row == row) sum += other;  // rows ascend: those in between have it, too
  }
  const int row_before = __shfl_up_sync(kAllLanes, row, 1);
  const bool is_first = lane == 0 || row_before != row;
  if (is_first && row < rows) atomicAdd(&y[row], sum);
}

unsigned blocks_of(int threads) { return static_cast<unsigned>((threads + kThreadsPerBlock - 1) / kThreadsPerBlock); }

}  // namespace

void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int /*cols*/, int nnz) {
  if (rows == 0) return;  // a grid of no blocks is an error
  CHECK(pool::keep_freed_memory());
  const auto tiles = static_cast<int>((std::int64_t{rows} + nnz + kTileItems - 1) / kTileItems);
  pool::Scratch<std::int32_t> d_borders;
  pool::Scratch<float> d_carries;
  CHECK(d_borders.allocate(tiles + 1));
  CHECK(d_carries.allocate(tiles));
  borders_kernel<<<blocks_of(tiles + 1), kThreadsPerBlock>>>(d_row_offsets, rows, nnz, tiles, d_borders.get());
  CHECK(cudaGetLastError());
  tiles_kernel<<<tiles, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows, nnz, d_borders.get(),
                                            d_carries.get());
  CHECK(cudaGetLastError());
  carries_kernel<<<blocks_of(tiles), kThreadsPerBlock>>>(d_borders.get(), d_carries.get(), tiles, rows, d_y);
  CHECK(cudaGetLastError());
}
