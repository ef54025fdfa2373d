// Step 4 of radix_sort: 16 keys per thread, eight bits per pass, 4 passes.
// Idea      a tile of 4096 keys has enough of them for 256 groups. There are no splits any more: for each row of 32
//           keys, a warp asks which lanes hold the same digit, and the first of them counts for all. A block takes one
//           tile after another and continues where the groups of the previous one ended, so the table is small.
// Gain      x 2.2 on an H200 for uniform keys, x 3.7 for keys of five words ANDed: half of the passes and of the
//           sectors, an eighth of the instructions, less than a fiftieth of the barriers. A handful of instructions per
//           key replaces four splits. It is the first step whose time depends on the keys, 13.1 ms or 7.8: with fewer
//           groups a store touches fewer sectors, and __match_any_sync takes two clocks of a multiprocessor per
//           different digit in the warp (harness/measure/match_cost.cu). Step 5 does without it, and its time hardly
//           depends on the keys.
// Traffic   12 bytes per key in each of 4 passes, 48 bytes in all.
// Wastes    every pass reads the keys twice: once to count, once to move. A group has 64 bytes: 7 sectors per store.
#include "radix_sort.cuh"

#include <algorithm>

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kItemsPerThread = 16;
constexpr int kWarpItems = kWarp * kItemsPerThread;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kBlocksPerMultiprocessor = 3;  // as many as have room at the same time; each takes tile after tile
constexpr int kKeyBits = 32;
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kPasses = kKeyBits / kDigitBits;
constexpr unsigned kAllLanes = 0xFFFFFFFFu;
static_assert(kThreadsPerBlock % kWarp == 0 && kWarps <= kWarp, "one warp scans the sums of all warps of the block");
static_assert(kKeyBits % kDigitBits == 0, "digits of equal width make up a key");
static_assert(kPasses % 2 == 0, "after an even number of passes the keys are in d_out");
static_assert(kDigits <= kThreadsPerBlock, "a thread for every digit");
static_assert(kWarps * kDigits <= kTileItems, "the warps' counters are where the tile will be");
static_assert(kMaxKeys <= 0xFFFFFFFF, "a place in the output is counted in 32 bits");

// ---- A device-wide exclusive scan, as in the scan lab: scan the tiles, scan their sums, add the sums. ----

constexpr int kScanRows = 8;
constexpr int kScanTile = kThreadsPerBlock * kScanRows;

// Exclusive scan over the lanes of a warp; `sum` becomes the sum over all of them.
__device__ std::uint32_t scan_lanes(std::uint32_t x, std::uint32_t& sum) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  std::uint32_t through = x;
#pragma unroll
  for (int stride = 1; stride < kWarp; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(kAllLanes, through, stride);
    if (lane >= stride) through += left;
  }
  sum = __shfl_sync(kAllLanes, through, kWarp - 1);
  return through - x;
}

// The sum over the warps before this one, each with its own `warp_sum`; `sum` becomes that over all warps of the block.
__device__ std::uint32_t scan_warps(std::uint32_t warp_sum, std::uint32_t& sum) {
  __shared__ std::uint32_t sums[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  if (lane == 0) sums[warp] = warp_sum;
  __syncthreads();
  const std::uint32_t before = scan_lanes(lane < kWarps ? sums[lane] : 0, sum);
  __syncthreads();  // everybody has read: the next call may write
  return __shfl_sync(kAllLanes, before, warp);
}

// Scans every tile on its own, in place. sums[tile] becomes its sum, unless `sums` is null.
__global__ void scan_tiles(std::uint32_t* numbers, std::uint32_t* sums, std::size_t count) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  const std::size_t first = std::size_t{blockIdx.x} * kScanTile + warp * (kWarp * kScanRows) + lane;
  std::uint32_t x[kScanRows];  // of the warp's rows, what lies before this lane
  std::uint32_t warp_sum = 0;
#pragma unroll
  for (int row = 0; row < kScanRows; ++row) {
    const std::size_t at = first + row * kWarp;
    std::uint32_t row_sum;
    x[row] = warp_sum + scan_lanes(at < count ? numbers[at] : 0, row_sum);
    warp_sum += row_sum;
  }
  std::uint32_t sum;
  const std::uint32_t before = scan_warps(warp_sum, sum);
#pragma unroll
  for (int row = 0; row < kScanRows; ++row)
    if (first + row * kWarp < count) numbers[first + row * kWarp] = before + x[row];
  if (threadIdx.x == 0 && sums != nullptr) sums[blockIdx.x] = sum;
}

// Nothing is added to tile 0: the grid begins with tile 1.
__global__ void add_sums(std::uint32_t* numbers, const std::uint32_t* sums, std::size_t count) {
  const std::size_t tile = std::size_t{blockIdx.x} + 1;
  for (int k = static_cast<int>(threadIdx.x); k < kScanTile; k += kThreadsPerBlock)
    if (tile * kScanTile + k < count) numbers[tile * kScanTile + k] += sums[tile];
}

std::size_t scan_tiles_of(std::size_t count) { return (count + kScanTile - 1) / kScanTile; }

// How many more numbers a scan needs: for the sums of its tiles, for the sums of the tiles of those sums, ...
std::size_t sums_of(std::size_t count) {
  const std::size_t tiles = scan_tiles_of(count);
  return tiles == 1 ? 0 : tiles + sums_of(tiles);
}

cudaError_t exclusive_scan(std::uint32_t* d_numbers, std::size_t count, std::uint32_t* d_sums) {
  const std::size_t tiles = scan_tiles_of(count);
  scan_tiles<<<static_cast<unsigned>(tiles), kThreadsPerBlock>>>(d_numbers, tiles > 1 ? d_sums : nullptr, count);
  if (const cudaError_t status = cudaGetLastError(); status != cudaSuccess || tiles == 1) return status;
  if (const cudaError_t status = exclusive_scan(d_sums, tiles, d_sums + tiles); status != cudaSuccess) return status;
  add_sums<<<static_cast<unsigned>(tiles - 1), kThreadsPerBlock>>>(d_numbers, d_sums, count);
  return cudaGetLastError();
}

// ---- The passes. ----

__device__ int digit_of(std::uint32_t key, int shift) { return static_cast<int>(key >> shift & (kDigits - 1)); }

// The keys that a block counts and moves: neighbouring tiles. The shares of two blocks differ by at most one tile.
struct Share {
  std::size_t first;
  std::size_t end;

  __device__ explicit Share(std::size_t n) {
    const std::size_t tiles = (n + kTileItems - 1) / kTileItems;
    first = tiles * blockIdx.x / gridDim.x * kTileItems;
    end = min(n, tiles * (blockIdx.x + 1) / gridDim.x * kTileItems);
  }
};

// table[digit][block]: keys of the block with that digit. In this order a scan adds up, for every entry, the keys with
// smaller digits everywhere and those with the same digit in the blocks before: where the block's keys with this digit
// go.
__global__ void count_digits(const std::uint32_t* keys, std::uint32_t* table, std::size_t n, int shift) {
  __shared__ std::uint32_t counts[kDigits];
  if (threadIdx.x < kDigits) counts[threadIdx.x] = 0;
  __syncthreads();  // all counts are 0
  const Share share(n);
#pragma unroll kItemsPerThread
  for (std::size_t i = share.first + threadIdx.x; i < share.end; i += kThreadsPerBlock)
    atomicAdd(&counts[digit_of(keys[i], shift)], 1u);
  __syncthreads();  // all have counted
  if (threadIdx.x < kDigits) table[std::size_t{threadIdx.x} * gridDim.x + blockIdx.x] = counts[threadIdx.x];
}

// The thread's keys: one from each row of 32 neighbours, and each warp has rows of its own. Beyond the end of the
// array: the greatest key, as padding. It comes last in its tile, and a stable sort leaves it there, behind the real
// keys.
__device__ void load(std::uint32_t (&keys)[kItemsPerThread], const std::uint32_t* from, int count) {
  const int first = static_cast<int>(threadIdx.x) / kWarp * kWarpItems + static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) keys[v] = first + v * kWarp < count ? from[first + v * kWarp] : 0xFFFFFFFFu;
}

// ranks[v]: how many keys of the warp with the same digit come before the thread's key v. Afterwards counters[digit] is
// the number of the warp's keys with that digit.
__device__ void rank(std::uint32_t (&ranks)[kItemsPerThread], const std::uint32_t (&keys)[kItemsPerThread],
                     std::uint32_t* counters, int shift) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const unsigned lanes_before = (1u << lane) - 1;
  for (int digit = lane; digit < kDigits; digit += kWarp) counters[digit] = 0;
  __syncwarp();
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    const int digit = digit_of(keys[v], shift);
    const unsigned peers = __match_any_sync(kAllLanes, digit);  // lanes whose key has the same digit
    const std::uint32_t earlier = counters[digit];              // in the rows before
    __syncwarp();                                               // all have read
    if ((peers & lanes_before) == 0) counters[digit] = earlier + __popc(peers);
    __syncwarp();  // what the first of the peers wrote is there for the next row
    ranks[v] = earlier + __popc(peers & lanes_before);
  }
}

__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    scatter(const std::uint32_t* keys, const std::uint32_t* table, std::uint32_t* out, std::size_t n, int shift) {
  __shared__ std::uint32_t tile[kTileItems];  // before, the warps' counters: kDigits for each warp
  __shared__ std::uint32_t starts[kDigits];   // of the digits' groups in the tile
  __shared__ std::uint32_t offsets[kDigits];  // what to add to a place in the tile for a place in the output
  const int t = static_cast<int>(threadIdx.x);
  std::uint32_t* const counters = tile + t / kWarp * kDigits;  // the warp's
  std::uint32_t next = 0;                                      // thread d: where the block's next key with digit d goes
  if (t < kDigits) next = table[std::size_t(t) * gridDim.x + blockIdx.x];

  const Share share(n);
  for (std::size_t first = share.first; first < share.end; first += kTileItems) {
    const int count = static_cast<int>(min(share.end - first, std::size_t{kTileItems}));
    std::uint32_t mine[kItemsPerThread], places[kItemsPerThread];
    load(mine, keys + first, count);
    rank(places, mine, counters, shift);
    __syncthreads();  // all warps have counted

    // Thread d adds up digit d over the warps: each warp's counter becomes the sum over the warps before it. Then a
    // scan over the digits tells where each group begins.
    std::uint32_t total = 0;
    if (t < kDigits)
      for (int warp = 0; warp < kWarps; ++warp) {
        const std::uint32_t of_warp = tile[warp * kDigits + t];
        tile[warp * kDigits + t] = total;
        total += of_warp;
      }
    std::uint32_t warp_sum, sum;
    std::uint32_t start = scan_lanes(total, warp_sum);
    start += scan_warps(warp_sum, sum);
    if (t < kDigits) {
      starts[t] = start;
      offsets[t] = next - start;  // may be negative; unsigned numbers wrap around and come back
      next += total;
    }
    __syncthreads();  // starts, offsets and counters are there
#pragma unroll
    for (int v = 0; v < kItemsPerThread; ++v) {
      const int digit = digit_of(mine[v], shift);
      places[v] += starts[digit] + counters[digit];
    }
    __syncthreads();  // nobody needs the counters any more
#pragma unroll
    for (int v = 0; v < kItemsPerThread; ++v) tile[places[v]] = mine[v];
    __syncthreads();  // the tile is in order
#pragma unroll 4
    for (int x = t; x < count; x += kThreadsPerBlock) out[offsets[digit_of(tile[x], shift)] + x] = tile[x];
    __syncthreads();  // the next tile's counters may overwrite it
  }
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  CHECK(pool::keep_freed_memory());
  int device = 0, multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const std::size_t tiles = (n + kTileItems - 1) / kTileItems;
  const std::size_t pairs = (tiles + 1) / 2;  // a block for a single tile would not be worth its row of the table
  const std::size_t blocks = std::min(pairs, std::size_t(multiprocessors) * kBlocksPerMultiprocessor);
  const auto grid = static_cast<unsigned>(blocks);
  const std::size_t entries = kDigits * blocks;
  pool::Scratch<std::uint32_t> d_other, d_table;
  CHECK(d_other.allocate(n));
  CHECK(d_table.allocate(entries + sums_of(entries)));
  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < kPasses; ++pass) {
    const int shift = pass * kDigitBits;
    std::uint32_t* const d_to = pass % 2 == 0 ? d_other.get() : d_out;  // by turns; the last pass ends in d_out
    count_digits<<<grid, kThreadsPerBlock>>>(d_from, d_table.get(), n, shift);
    CHECK(cudaGetLastError());
    CHECK(exclusive_scan(d_table.get(), entries, d_table.get() + entries));
    scatter<<<grid, kThreadsPerBlock>>>(d_from, d_table.get(), d_to, n, shift);
    CHECK(cudaGetLastError());
    d_from = d_to;
  }
}
