// Step 5 of radix_sort: one sweep per pass, with decoupled look-back.
// Idea      how many keys have which digit does not depend on their order: one kernel counts the digits of all passes.
//           Where a tile's groups go then depends only on the tiles before it, and a tile learns it from them, digit by
//           digit, as blocks do in a single-pass scan. So no pass reads the keys twice.
// Leap      the table of counts goes, and with it the kernels that scanned it; the look-back takes their place. Without
//           one of the two, a tile would not know where its groups go.
// Gain      x 1.9 on an H200 for uniform keys, x 1.18 for keys of five words ANDed, 6.8 and 6.6 ms: three quarters of
//           the sectors, for 36 bytes replace 48. A tile publishes its counts before it ranks its keys, so that later
//           ones need not wait. Instructions (of PTX) nearly double: digits are compared bit by bit, in eight votes.
//           One __match_any_sync takes twice as long for random digits (harness/measure/match_cost.cu). The library is
//           ahead: this step reaches 0.81 and 0.78 of its rate.
// Traffic   4 bytes per key to count, and 8 in each of 4 passes: 36 bytes. 2 KiB per tile of look-back, in the L2
//           cache.
// Wastes    ranking: some 50 instructions for a row of 32 keys, most of them votes. The bytes would take 2.25 ms, a
//           third of the time. The library has 21 keys per thread instead of 17, and its groups are longer.
// Source    Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", arXiv:2206.01784.
#include "radix_sort.cuh"

#include <algorithm>

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 384;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kItemsPerThread = 17;
constexpr int kWarpItems = kWarp * kItemsPerThread;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kBlocksPerMultiprocessor = 3;
constexpr int kKeyBits = 32;
constexpr int kDigitBits = 8;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kPasses = kKeyBits / kDigitBits;
constexpr unsigned kAllLanes = 0xFFFFFFFFu;
static_assert(kThreadsPerBlock % kWarp == 0 && kDigits % kWarp == 0, "a block and its digits are made of whole warps");
static_assert(kKeyBits % kDigitBits == 0, "digits of equal width make up a key");
static_assert(kPasses % 2 == 0, "after an even number of passes the keys are in d_out");
static_assert(kDigits <= kThreadsPerBlock, "a thread for every digit");
static_assert((kTileItems + kWarps * kDigits + 2 * kDigits) * sizeof(std::uint32_t) <= 48 * 1024,
              "the tile, the warps' counters and the offsets must fit into 48 KiB of shared memory");
static_assert(kMaxKeys <= 0xFFFFFFFF, "a place in the output is counted in 32 bits");

// What is known of a tile's keys with one digit: the status in the upper two bits, the number in the lower 30. Both
// change in one write of 32 bits, so no thread can see one without the other, and no fence is needed.
enum : std::uint32_t { kNothing = 0, kSum = 1u << 30, kPrefix = 2u << 30, kNumber = kSum - 1 };

// As many tiles as 30 bits can count; a longer array is swept in portions, one kernel each.
constexpr std::size_t kPortionTiles = kNumber / kTileItems;
static_assert(kPortionTiles * kTileItems <= kNumber, "a tile's prefix fits 30 bits");

__device__ int digit_of(std::uint32_t key, int shift) { return static_cast<int>(key >> shift & (kDigits - 1)); }

// starts[pass][digit] += keys with that digit. Every block counts a share of the array, four keys per load.
__global__ void __launch_bounds__(kThreadsPerBlock)
    count_digits(const std::uint32_t* keys, std::uint32_t* starts, std::size_t n) {
  __shared__ std::uint32_t counts[kPasses][kDigits];
  std::uint32_t* const all_counts = &counts[0][0];
  for (int k = static_cast<int>(threadIdx.x); k < kPasses * kDigits; k += kThreadsPerBlock) all_counts[k] = 0;
  __syncthreads();  // all counts are 0

  const auto count = [&](std::uint32_t key) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) atomicAdd(&counts[pass][digit_of(key, pass * kDigitBits)], 1u);
  };
  const std::size_t vectors = n / 4;
  const std::size_t thread = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * kThreadsPerBlock;
#pragma unroll 4
  for (std::size_t v = thread; v < vectors; v += threads) {
    const uint4 four = reinterpret_cast<const uint4*>(keys)[v];
    count(four.x), count(four.y), count(four.z), count(four.w);
  }
  if (vectors * 4 + thread < n) count(keys[vectors * 4 + thread]);  // up to three are left over
  __syncthreads();                                                  // all have counted

  for (int k = static_cast<int>(threadIdx.x); k < kPasses * kDigits; k += kThreadsPerBlock)
    if (all_counts[k] != 0) atomicAdd(&starts[k], all_counts[k]);
}

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

// Exclusive scan over the first kDigits threads; the others take part, and get nothing of use.
__device__ std::uint32_t scan_digits(std::uint32_t x) {
  constexpr int kDigitWarps = kDigits / kWarp;
  __shared__ std::uint32_t sums[kDigitWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  std::uint32_t sum;
  const std::uint32_t before = scan_lanes(x, sum);
  if (lane == 0 && warp < kDigitWarps) sums[warp] = sum;
  __syncthreads();
  const std::uint32_t warps_before = scan_lanes(lane < kDigitWarps ? sums[lane] : 0, sum);
  return __shfl_sync(kAllLanes, warps_before, warp) + before;
}

// One block per pass. starts[pass][digit] becomes the place of the first key with that digit.
__global__ void scan_counts(std::uint32_t* starts) {
  const std::size_t entry = std::size_t{blockIdx.x} * kDigits + threadIdx.x;
  starts[entry] = scan_digits(starts[entry]);
}

// The thread's keys: one from each row of 32 neighbours, and each warp has rows of its own. Beyond the end of the
// array: the greatest key, as padding. It comes last in its tile, and a stable sort leaves it there, behind the real
// keys. (No tile needs the counts of the last one.)
__device__ void load(std::uint32_t (&keys)[kItemsPerThread], const std::uint32_t* from, int count) {
  const int first = static_cast<int>(threadIdx.x) / kWarp * kWarpItems + static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) keys[v] = first + v * kWarp < count ? from[first + v * kWarp] : 0xFFFFFFFFu;
}

// The lanes whose key has the same digit as this lane's. One vote per bit instead of __match_any_sync, which takes
// longer the more different digits a warp holds: a lane's peers are those that have voted as it has, every time.
__device__ unsigned peers_of(int digit) {
  unsigned peers = kAllLanes;
#pragma unroll
  for (int bit = 0; bit < kDigitBits; ++bit) {
    const bool is_one = (digit >> bit & 1) != 0;
    const unsigned ones = __ballot_sync(kAllLanes, is_one);
    peers &= is_one ? ones : ~ones;
  }
  return peers;
}

// The number of keys with the thread's digit in all tiles before this one. Publishes the prefix for later tiles, too.
__device__ std::uint32_t look_back(volatile std::uint32_t* states, int tile, int digit, std::uint32_t own) {
  std::uint32_t before = 0;
  for (int at = tile - 1; at >= 0;) {
    const std::uint32_t state = states[std::size_t(at) * kDigits + digit];
    if ((state & ~kNumber) == kNothing) continue;  // it will come: that tile was begun before this one
    before += state & kNumber;
    if ((state & kPrefix) != 0) break;
    --at;
  }
  states[std::size_t(tile) * kDigits + digit] = kPrefix | (before + own);
  return before;
}

// Sorts a portion of the array by one digit. starts[digit]: where its first key with that digit goes; next_starts: the
// same for the next portion, to be written here, or null.
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    sweep(const std::uint32_t* keys, std::uint32_t* out, const std::uint32_t* starts, std::uint32_t* next_starts,
          std::uint32_t* next_tile, volatile std::uint32_t* states, std::size_t n, int shift) {
  __shared__ std::uint32_t tile_keys[kTileItems];
  __shared__ std::uint32_t counters[kWarps][kDigits];
  __shared__ std::uint32_t offsets[kDigits];  // what to add to a place in the tile for a place in the output
  __shared__ int drawn;
  const int t = static_cast<int>(threadIdx.x), warp = t / kWarp, lane = t % kWarp;
  for (int digit = lane; digit < kDigits; digit += kWarp) counters[warp][digit] = 0;
  if (t == 0) drawn = static_cast<int>(atomicAdd(next_tile, 1u));  // in the order in which blocks begin
  __syncthreads();
  const int tile = drawn;
  const std::size_t first = std::size_t(tile) * kTileItems;
  const int count = static_cast<int>(min(n - first, std::size_t{kTileItems}));

  std::uint32_t mine[kItemsPerThread];
  load(mine, keys + first, count);
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) atomicAdd(&counters[warp][digit_of(mine[v], shift)], 1u);
  __syncthreads();  // all warps have counted

  // Thread d adds up digit d over the warps and publishes the sum. Then each warp's counters become the places in the
  // tile where its keys go.
  std::uint32_t total = 0;
  if (t < kDigits) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const std::uint32_t of_warp = counters[w][t];
      counters[w][t] = total;
      total += of_warp;
    }
    if (tile > 0) states[std::size_t(tile) * kDigits + t] = kSum | total;
  }
  const std::uint32_t start = scan_digits(total);  // in the tile
  if (t < kDigits) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) counters[w][t] += start;
  }
  __syncthreads();  // the counters are places

  const unsigned lanes_before = (1u << lane) - 1;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    const int digit = digit_of(mine[v], shift);
    const unsigned peers = peers_of(digit);
    const std::uint32_t place = counters[warp][digit];  // of the first of them
    __syncwarp();                                       // all have read
    if ((peers & lanes_before) == 0) counters[warp][digit] = place + __popc(peers);
    __syncwarp();  // what the first of the peers wrote is there for the next row
    tile_keys[place + __popc(peers & lanes_before)] = mine[v];
  }

  if (t < kDigits) {
    const std::uint32_t before = look_back(states, tile, t, total);
    offsets[t] = starts[t] + before - start;  // may be negative; unsigned numbers wrap around and come back
    if (next_starts != nullptr && first + count == n) next_starts[t] = starts[t] + before + total;
  }
  __syncthreads();  // the tile is in order, and its groups have their places
#pragma unroll 3
  for (int v = 0; v < kItemsPerThread; ++v) {
    const int x = v * kThreadsPerBlock + t;
    if (x < count) out[offsets[digit_of(tile_keys[x], shift)] + x] = tile_keys[x];
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
  const std::size_t portions = (tiles + kPortionTiles - 1) / kPortionTiles;
  const std::size_t state_words = std::min(tiles, kPortionTiles) * kDigits;
  // The starts are a table for each pass, for the first portion, then for the next ones.
  pool::Scratch<std::uint32_t> d_other, d_starts, d_states;
  CHECK(d_other.allocate(n));
  CHECK(d_starts.allocate(portions * kPasses * kDigits));
  CHECK(d_states.allocate(state_words + 1));  // and the counter that tiles are drawn from

  CHECK(cudaMemsetAsync(d_starts.get(), 0, kPasses * kDigits * sizeof(std::uint32_t)));
  const std::size_t blocks = std::min(tiles, std::size_t(multiprocessors) * kBlocksPerMultiprocessor);
  count_digits<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_in, d_starts.get(), n);
  CHECK(cudaGetLastError());
  scan_counts<<<kPasses, kDigits>>>(d_starts.get());
  CHECK(cudaGetLastError());

  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::uint32_t* const d_to = pass % 2 == 0 ? d_other.get() : d_out;  // by turns; the last pass ends in d_out
    for (std::size_t portion = 0; portion < portions; ++portion) {
      const std::size_t first = portion * kPortionTiles * kTileItems;
      const std::size_t keys = std::min(n - first, kPortionTiles * kTileItems);
      const auto grid = static_cast<unsigned>((keys + kTileItems - 1) / kTileItems);
      std::uint32_t* const d_here = d_starts.get() + (portion * kPasses + pass) * kDigits;
      std::uint32_t* const d_next = portion + 1 < portions ? d_here + kPasses * kDigits : nullptr;
      CHECK(cudaMemsetAsync(d_states.get(), 0, (state_words + 1) * sizeof(std::uint32_t)));
      sweep<<<grid, kThreadsPerBlock>>>(d_from + first, d_to, d_here, d_next, d_states.get() + state_words,
                                        d_states.get(), keys, pass * kDigitBits);
      CHECK(cudaGetLastError());
    }
    d_from = d_to;
  }
}
