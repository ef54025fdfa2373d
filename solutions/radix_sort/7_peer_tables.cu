// Step 7 of radix_sort: every lane looks its peers up in tables that the warp makes from the votes.
// Idea      a vote tells all lanes the same, and in step 6 each of them combines the same eight votes for its own
//           digit. Here lane j combines four of them for all digits whose lower half is j % 16, and the other four for
//           those whose upper half is. Two shuffles later, every lane knows which have both halves of its digit.
// Gain      x 1.46 on an H200 for uniform keys, x 1.54 for those of five words ANDed, 4.2 and 4.0 ms: 1.29 and 1.31
//           times CUB's rate. Votes, logic and comparisons share a pipeline, which takes an instruction every two
//           clocks in each quarter of a multiprocessor. In step 6, a row of 32 keys has some 80 of them, which alone
//           take 40 of its 44 clocks; here it has some 35. Seven per bit become little more than two: a vote, and one
//           instruction to combine it. As the votes are on zeros, nvcc tests seven bits of the key at once. The last of
//           the peers adds for all, because it knows how many they are: one more than come before it.
// Traffic   as in step 5: 36 bytes per key.
// Wastes    what a tile costs however many keys it has: barriers, sums over the warps, a look-back. There are only
//           three blocks on a multiprocessor to fill the gaps.
// Source    Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", arXiv:2206.01784.
#include "radix_sort.cuh"

#include <algorithm>

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 384;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kItemsPerThread = 23;
constexpr int kAhead = 4;  // tiles that a look-back asks at a time
constexpr int kWarpItems = kWarp * kItemsPerThread;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kBlocksPerMultiprocessor = 3;
constexpr int kKeyBits = 32;
constexpr int kDigitBits = 8;
constexpr int kHalfBits = kDigitBits / 2;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kPasses = kKeyBits / kDigitBits;
constexpr unsigned kAllLanes = 0xFFFFFFFFu;
static_assert(kThreadsPerBlock % kWarp == 0 && kDigits % kWarp == 0, "a block and its digits are made of whole warps");
static_assert(kKeyBits % kDigitBits == 0 && kDigitBits == 8, "the digits are the bytes of a key");
static_assert(kPasses % 2 == 0, "after an even number of passes the keys are in d_out");
static_assert(kDigits <= kThreadsPerBlock, "a thread for every digit");
static_assert(2 * kHalfBits == kDigitBits && 1 << kHalfBits <= kWarp, "a lane for every half of a digit");
static_assert((kTileItems + kWarps * kDigits + kDigits + kWarp) * sizeof(std::uint32_t) <= 48 * 1024,
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
  if (count == kTileItems) {
#pragma unroll
    for (int v = 0; v < kItemsPerThread; ++v) keys[v] = from[first + v * kWarp];
  } else {
#pragma unroll
    for (int v = 0; v < kItemsPerThread; ++v)
      keys[v] = first + v * kWarp < count ? from[first + v * kWarp] : 0xFFFFFFFFu;
  }
}

// The lanes whose key has the same digit as this lane's. A vote tells all lanes the same, so each lane need not combine
// the votes for its own digit: lane j finds out which lanes have the lower half j % 16, and which the upper half j
// % 16. Every lane then looks up which have both of its halves. mask[bit]: all ones if that bit of j is 1.
template <int shift>
__device__ unsigned peers_of(std::uint32_t key, const unsigned (&mask)[kHalfBits]) {
  unsigned with_lower = kAllLanes, with_upper = kAllLanes;
#pragma unroll
  for (int bit = 0; bit < kHalfBits; ++bit) {  // the votes are on zeros: nvcc tests for a zero in one instruction
    with_lower &= __ballot_sync(kAllLanes, (key & 1u << (shift + bit)) == 0) ^ mask[bit];
    with_upper &= __ballot_sync(kAllLanes, (key & 1u << (shift + kHalfBits + bit)) == 0) ^ mask[bit];
  }
  // A shuffle takes the number of a lane modulo 32, and lanes j and j + 16 have found out the same.
  return __shfl_sync(kAllLanes, with_lower, static_cast<int>(key >> shift)) &
         __shfl_sync(kAllLanes, with_upper, static_cast<int>(key >> (shift + kHalfBits)));
}

// The number of keys with the thread's digit in all tiles before this one. Publishes the prefix for later tiles, too.
__device__ std::uint32_t look_back(volatile std::uint32_t* states, int tile, int digit, std::uint32_t own) {
  std::uint32_t before = 0;
  bool found = false;
  for (int at = tile - 1; at >= 0 && !found;) {
    std::uint32_t window[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k)
      window[k] = at >= k ? states[std::size_t(at - k) * kDigits + digit] : std::uint32_t{kNothing};
    int known = 0;  // tiles of the window, from its end on, that have told; the next will: it was begun before this one
#pragma unroll
    for (int k = 0; k < kAhead; ++k)
      if (!found && known == k && (window[k] & ~kNumber) != kNothing) {
        before += window[k] & kNumber;
        found = (window[k] & kPrefix) != 0;
        known = k + 1;
      }
    at -= known;
  }
  states[std::size_t(tile) * kDigits + digit] = kPrefix | (before + own);
  return before;
}

// Sorts a portion of the array by one digit. starts[digit]: where its first key with that digit goes; next_starts: the
// same for the next portion, to be written here, or null.
template <int shift>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    sweep(const std::uint32_t* keys, std::uint32_t* out, const std::uint32_t* starts, std::uint32_t* next_starts,
          std::uint32_t* next_tile, volatile std::uint32_t* states, std::size_t n) {
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
  // __byte_perm takes a byte out of the key. With digit_of, nvcc would keep the digits for later, and spill.
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) atomicAdd(&counters[warp][__byte_perm(mine[v], 0, 0x4440 | shift / 8)], 1u);
  __syncthreads();  // all warps have counted

  // Thread d adds up digit d over the warps and publishes the sum. Then each warp's counters become the places in the
  // tile where its keys go.
  std::uint32_t total = 0;
  std::uint32_t warps_before[kWarps];
  if (t < kDigits) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      warps_before[w] = total;
      total += counters[w][t];
    }
    if (tile > 0) states[std::size_t(tile) * kDigits + t] = kSum | total;
  }
  const std::uint32_t start = scan_digits(total);  // in the tile
  if (t < kDigits) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) counters[w][t] = start + warps_before[w];
  }
  __syncthreads();  // the counters are places

  const unsigned lanes_before = (1u << lane) - 1;
  unsigned mask[kHalfBits];
#pragma unroll
  for (int bit = 0; bit < kHalfBits; ++bit) mask[bit] = (lane >> bit & 1) != 0 ? kAllLanes : 0;
#pragma unroll
  for (int row = 0; row < kItemsPerThread; ++row) {
    const unsigned peers = peers_of<shift>(mine[row], mask);
    const auto before = static_cast<std::uint32_t>(__popc(peers & lanes_before));
    const int last = kWarp - 1 - __clz(static_cast<int>(peers));
    std::uint32_t place = 0;  // of the first of the peers, known to the last of them, which adds for all
    if (lane == last) place = atomicAdd(&counters[warp][digit_of(mine[row], shift)], before + 1);
    __syncwarp();  // row by row
    tile_keys[__shfl_sync(kAllLanes, place, last) + before] = mine[row];
  }

  if (t < kDigits) {
    const std::uint32_t before = look_back(states, tile, t, total);
    offsets[t] = starts[t] + before - start;  // may be negative; unsigned numbers wrap around and come back
    if (next_starts != nullptr && first + count == n) next_starts[t] = starts[t] + before + total;
  }
  __syncthreads();  // the tile is in order, and its groups have their places
  const auto write = [&](int x) { out[offsets[digit_of(tile_keys[x], shift)] + x] = tile_keys[x]; };
  if (count == kTileItems) {
#pragma unroll 3
    for (int v = 0; v < kItemsPerThread; ++v) write(v * kThreadsPerBlock + t);
  } else {
#pragma unroll 1
    for (int x = t; x < count; x += kThreadsPerBlock) write(x);
  }
}

using Sweep = void (*)(const std::uint32_t*, std::uint32_t*, const std::uint32_t*, std::uint32_t*, std::uint32_t*,
                       volatile std::uint32_t*, std::size_t);
constexpr Sweep kSweeps[kPasses] = {sweep<0>, sweep<kDigitBits>, sweep<2 * kDigitBits>, sweep<3 * kDigitBits>};

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
      kSweeps[pass]<<<grid, kThreadsPerBlock>>>(d_from + first, d_to, d_here, d_next, d_states.get() + state_words,
                                                d_states.get(), keys);
      CHECK(cudaGetLastError());
    }
    d_from = d_to;
  }
}
