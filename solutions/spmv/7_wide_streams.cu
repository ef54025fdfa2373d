// Step 7 of spmv_csr: wide streams.
// Idea      columns and values are read only once, so they are read 16 bytes per lane, with a hint that no cache need
//           keep them: the cache is for x. A thread takes 15 steps instead of 7, and a tile's row ends and products
//           share the memory of one array, since together they are as many as the tile has steps. The kernel that
//           searches for the borders also clears y there, so that tiles add their carries themselves: one launch less.
// Gain      x 1.05 on an H200 for R-MAT: the fastest of steps 1 to 8, x 11.4 over step 1, 0.97 of cuSPARSE's ALG1 and
//           0.98 of its ALG2. x 1.18 for Poisson: 0.82 of ALG1, x 1.09 over ALG2, and 0.62 of step 1. A quarter of the
//           requests for columns and values, and half as many searches and scans per entry. Counters: requests fall to
//           little more than half, warp instructions to seven tenths.
// Traffic   8 bytes per entry, 8 bytes per row, some 4 bytes per tile of 3840 steps.
// Wastes    density, at x: a lane has four adjacent entries, so the lanes of a load of x are four entries apart, and
//           touch more sectors. Counter: sectors rise by two thirds, though those of columns and values do not. And
//           where all rows are short and alike, everything that balances work which was balanced before. Counter, for
//           Poisson: more than five times the warp instructions of step 1.
#include "spmv.cuh"

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kItemsPerThread = 15;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kVectorItems = 4;  // entries in 16 bytes
constexpr int kVectorsPerThread = kItemsPerThread / kVectorItems + 1;
constexpr int kTileSlots = kTileItems + 3 * kVectorItems;  // row ends, a gap, and products in whole vectors
static_assert(kVectorsPerThread * kThreadsPerBlock * kVectorItems >= kTileItems + 2 * kVectorItems,
              "the threads have room for all vectors that hold an entry of the tile");
static_assert(kThreadsPerBlock % kWarp == 0 && kWarps <= kWarp, "one warp scans the carries of all warps of the block");
static_assert(kItemsPerThread % 2 == 1, "an odd number of steps a thread spreads the lanes' reads over the 32 banks");
static_assert(kTileSlots * sizeof(float) <= 47 * 1024, "row ends and products fit the 48 KiB of shared memory");
static_assert(sizeof(float4) == kVectorItems * sizeof(float), "a vector is four numbers side by side");
static_assert(alignof(float4) <= 256, "the contract aligns arrays to 256 bytes, so entry 0 begins a whole vector");

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

// Border t is where tile t begins (and tile t - 1 ends): borders[t] row ends come before it. The row that continues
// there is the sum of parts, which are added to a 0.
__global__ void borders_kernel(const std::int32_t* row_offsets, int rows, int nnz, int tiles, std::int32_t* borders,
                               float* y) {
  const int t = static_cast<int>(blockIdx.x) * kThreadsPerBlock + static_cast<int>(threadIdx.x);
  if (t > tiles) return;
  const std::int64_t k = min(std::int64_t{t} * kTileItems, std::int64_t{rows} + nnz);
  const auto row = static_cast<std::int32_t>(rows_before<std::int64_t>(k, row_offsets + 1, rows, nnz));
  borders[t] = row;
  if (row < rows) y[row] = 0;
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

// Reads that will not be repeated: the caches may evict them first.
__device__ float4 streamed(const float* from) { return __ldcs(reinterpret_cast<const float4*>(from)); }
__device__ int4 streamed(const std::int32_t* from) { return __ldcs(reinterpret_cast<const int4*>(from)); }

// Products of the four entries from `entry` on, a multiple of four. Beyond the last entry they are 0.
__device__ float4 four_products(const std::int32_t* columns, const float* values, const float* x, std::int64_t entry,
                                int nnz) {
  if (entry + kVectorItems <= nnz) {
    const int4 c = streamed(columns + entry);
    const float4 a = streamed(values + entry);
    return make_float4(a.x * x[c.x], a.y * x[c.y], a.z * x[c.z], a.w * x[c.w]);
  }
  const auto product = [=](std::int64_t j) { return j < nnz ? values[j] * x[columns[j]] : 0; };
  return make_float4(product(entry), product(entry + 1), product(entry + 2), 0);
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    tiles_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values, const float* x,
                 float* y, int rows, int nnz, const std::int32_t* borders) {
  __shared__ alignas(16) std::int32_t slots[kTileSlots];
  const int thread = static_cast<int>(threadIdx.x);
  const std::int64_t first_step = std::int64_t{blockIdx.x} * kTileItems;
  const int steps = static_cast<int>(min(std::int64_t{rows} + nnz - first_step, std::int64_t{kTileItems}));
  const int first_row = borders[blockIdx.x];
  const int row_count = borders[blockIdx.x + 1] - first_row;  // row ends in the tile, 0 ... steps
  const int first_entry = static_cast<int>(first_step - first_row);
  const int entry_count = steps - row_count;

  std::int32_t* row_ends = slots;  // counted from the tile's first entry
  for (int i = thread; i < row_count; i += kThreadsPerBlock)
    row_ends[i] = __ldcs(row_offsets + first_row + i + 1) - first_entry;
  // Vectors begin up to three entries early; their place is after the row ends, at the next multiple of four slots.
  const int skip = first_entry % kVectorItems;
  const int vectors = (skip + entry_count + kVectorItems - 1) / kVectorItems;
  float* from_vector = reinterpret_cast<float*>(slots + (row_count + kVectorItems - 1) / kVectorItems * kVectorItems);
#pragma unroll
  for (int k = 0; k < kVectorsPerThread; ++k) {  // unrolled, so that loads of several vectors are on their way together
    const int v = k * kThreadsPerBlock + thread;
    const std::int64_t entry = std::int64_t{first_entry} - skip + v * kVectorItems;
    if (v < vectors) reinterpret_cast<float4*>(from_vector)[v] = four_products(columns, values, x, entry, nnz);
  }
  const float* products = from_vector + skip;
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
  if (ended_first == 0)
    atomicAdd(&y[first_row], before + sum_of_first);  // tiles before this one may have a part of the row
  else if (ended_first > 0)
    y[first_row + ended_first] = before + sum_of_first;
  // The row that continues after the tile. It may be the one that the tile began with.
  if (thread == 0 && first_row + row_count < rows) atomicAdd(&y[first_row + row_count], of_block);
}

unsigned blocks_of(int threads) { return static_cast<unsigned>((threads + kThreadsPerBlock - 1) / kThreadsPerBlock); }

}  // namespace

void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int /*cols*/, int nnz) {
  if (rows == 0) return;  // a grid of no blocks is an error
  CHECK(pool::keep_freed_memory());
  const auto tiles = static_cast<int>((std::int64_t{rows} + nnz + kTileItems - 1) / kTileItems);
  pool::Scratch<std::int32_t> d_borders;
  CHECK(d_borders.allocate(tiles + 1));
  borders_kernel<<<blocks_of(tiles + 1), kThreadsPerBlock>>>(d_row_offsets, rows, nnz, tiles, d_borders.get(), d_y);
  CHECK(cudaGetLastError());
  tiles_kernel<<<tiles, kThreadsPerBlock>>>(d_row_offsets, d_columns, d_values, d_x, d_y, rows, nnz, d_borders.get());
  CHECK(cudaGetLastError());
}
