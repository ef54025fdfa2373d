// Step 8 of spmv_csr: bulk copies.
// Idea      two bulk copies, which one thread issues, bring a tile's columns and values into shared memory. When they
//           have arrived, neighbouring lanes multiply neighbouring entries, and store the products in place of the
//           values.
// Gain      a third of the sectors: loads of x are dense again where the matrix allows it, and a tile is in flight as a
//           whole, without a register, and past the L1 cache, which is left to x. (Requests and sectors of global loads
//           are only those of x and of the row ends, since bulk copies are not load instructions.) In time a loss on an
//           H200: x 0.86 for Poisson and x 0.89 for R-MAT, 0.71 and 0.87 of cuSPARSE's ALG1. The L2 cache sees the same
//           number of sectors as in step 7, within 4 % for Poisson and for rows of all lengths: the L1 cache absorbs
//           what step 7's loads of x request repeatedly. And warp instructions rise by more than a quarter.
// Traffic   8 bytes per entry, 8 bytes per row, some 4 bytes per tile of 2816 steps.
// Wastes    the time until a tile has arrived: a block waits for all of it before it multiplies the first entry. And
//           instructions: columns and values are read again from shared memory to be multiplied, whereas step 7 has
//           them in registers. What x costs is up to the matrix.
#include "spmv.cuh"

#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kItemsPerThread = 11;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kVectorItems = 4;  // entries in 16 bytes: bulk copies begin and end at multiples of these
constexpr int kTileSlots = kTileItems + 3 * kVectorItems;  // entries in whole vectors, and row ends behind the columns
static_assert(kThreadsPerBlock % kWarp == 0 && kWarps <= kWarp, "one warp scans the carries of all warps of the block");
static_assert(kItemsPerThread % 2 == 1, "an odd number of steps a thread spreads the lanes' reads over the 32 banks");
static_assert(2 * kTileSlots * sizeof(float) <= 47 * 1024, "a tile fits the 48 KiB of static shared memory");
static_assert(kThreadsPerBlock >= kVectorItems, "a thread each fetches the entries beside a bulk copy");

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

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// A tile's entries in whole vectors, which is what bulk copies move: they begin up to three entries early, and end up
// to three late.
struct Share {
  std::int64_t from;  // an entry's number, a multiple of four
  int skip;           // entries that lie before the tile's own, 0 ... 3
  int slots;          // entries that the share takes in shared memory, a multiple of four
  int bulk;           // of which a bulk copy may move so many: the last vector may reach beyond the end of the arrays

  __device__ Share(int first_entry, int entry_count, int nnz)
      : from(first_entry - first_entry % kVectorItems),
        skip(first_entry % kVectorItems),
        slots((skip + entry_count + kVectorItems - 1) / kVectorItems * kVectorItems),
        bulk(from + slots <= nnz ? slots : slots - kVectorItems) {}
};

// Requests columns and values without waiting for them: a thread that waits for the token finds them in place.
__device__ BlockBarrier::arrival_token load(const Share& share, const std::int32_t* columns, const float* values,
                                            int nnz, std::int32_t* to_columns, float* to_values,
                                            BlockBarrier& barrier) {
  const int beside = share.bulk + static_cast<int>(threadIdx.x);
  if (beside < share.slots && share.from + beside < nnz) {
    to_columns[beside] = columns[share.from + beside];
    to_values[beside] = values[share.from + beside];
  }
  if (threadIdx.x != 0) return barrier.arrive();
  const std::size_t bytes = share.bulk * sizeof(float);
  if (bytes > 0) {
    cuda::device::memcpy_async_tx(to_columns, columns + share.from, cuda::aligned_size_t<16>(bytes), barrier);
    cuda::device::memcpy_async_tx(to_values, values + share.from, cuda::aligned_size_t<16>(bytes), barrier);
  }
  return cuda::device::barrier_arrive_tx(barrier, 1, static_cast<std::ptrdiff_t>(2 * bytes));
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    tiles_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values, const float* x,
                 float* y, int rows, int nnz, const std::int32_t* borders) {
  __shared__ alignas(16) std::int32_t tile_columns[kTileSlots];  // and behind them the row ends
  __shared__ alignas(16) float tile_values[kTileSlots];          // later the products
  __shared__ alignas(BlockBarrier) unsigned char barrier_storage[sizeof(BlockBarrier)];
  auto* barrier = reinterpret_cast<BlockBarrier*>(barrier_storage);
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) {
    init(barrier, kThreadsPerBlock);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // bulk copies, which have a path of their own, see it too
  }
  __syncthreads();

  const std::int64_t first_step = std::int64_t{blockIdx.x} * kTileItems;
  const int steps = static_cast<int>(min(std::int64_t{rows} + nnz - first_step, std::int64_t{kTileItems}));
  const int first_row = borders[blockIdx.x];
  const int row_count = borders[blockIdx.x + 1] - first_row;  // row ends in the tile, 0 ... steps
  const int first_entry = static_cast<int>(first_step - first_row);
  const int entry_count = steps - row_count;
  const Share share(first_entry, entry_count, nnz);
  BlockBarrier::arrival_token loaded = load(share, columns, values, nnz, tile_columns, tile_values, *barrier);

  std::int32_t* row_ends = tile_columns + share.slots;  // counted from the tile's first entry
  for (int i = thread; i < row_count; i += kThreadsPerBlock)
    row_ends[i] = __ldcs(row_offsets + first_row + i + 1) - first_entry;
  barrier->wait(std::move(loaded));  // all threads have asked, and all bytes have come
  float* products = tile_values + share.skip;
  float of_x[kItemsPerThread];  // all of a thread's loads of x are on their way before the first one is waited for
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    const int j = v * kThreadsPerBlock + thread;
    of_x[v] = j < entry_count ? x[tile_columns[share.skip + j]] : 0;
  }
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    const int j = v * kThreadsPerBlock + thread;
    if (j < entry_count) products[j] *= of_x[v];
  }
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
