// Step 8 of radix_sort: longer tiles, and less to do for each of them.
// Idea      the time of step 7 falls with the length of its tiles like a + b / length; the second term, the work that a
//           tile takes however long it is, makes up two fifths. So a tile gets 32 keys per thread. 24 of them stay in
//           registers; the others are read again, from the cache, when they are ranked. A look-back that meets four
//           plain numbers adds them up at once. Digits are counted in 32 copies, one per lane, each in its own bank.
//           For short arrays, what counts is the number of launches, now a memset, one kernel, whose last block also
//           scans, and four sweeps; and short tiles let more multiprocessors take part.
// Leap      no new idea, but changes in every part: tiles, counting, look-back and launches. Lengths become template
//           parameters, so that short arrays get short tiles.
// Gain      x 1.14 on an H200, 3.7 ms for uniform keys and 3.5 for those of five words ANDed: 1.47 and 1.47 times CUB's
//           rate. A hundred thousand keys take 41 us instead of 59.
// Traffic   as in step 5: 36 bytes per key, and 4 more in each pass for a quarter of them, within the cache.
// Wastes    turns of shared memory: some 21 for a row of 32 keys, most of them due to bank conflicts, for digits and
//           places are random. They take 0.66 ms per pass, where the bytes would take 0.5.
// Source    Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", arXiv:2206.01784.
#include "radix_sort.cuh"

#include <algorithm>

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 384;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kBlocksPerMultiprocessor = 3;
constexpr int kLongItems = 32;  // keys per thread in a long tile, for which there must be enough keys
constexpr int kShortItems = 8;  // in a short one
constexpr int kHeldItems = 24;  // for as many keys, a thread has registers; the others are read a second time
constexpr int kAhead = 4;       // tiles that a look-back asks at a time
constexpr int kKeyBits = 32;
constexpr int kDigitBits = 8;
constexpr int kHalfBits = kDigitBits / 2;
constexpr int kDigits = 1 << kDigitBits;
constexpr int kPasses = kKeyBits / kDigitBits;
constexpr int kCountThreads = kPasses * kDigits;
constexpr int kCountVectors = 4;  // that a thread loads before it counts the first
constexpr unsigned kAllLanes = 0xFFFFFFFFu;
static_assert(kThreadsPerBlock % kWarp == 0 && kDigits % kWarp == 0, "a block and its digits are made of whole warps");
static_assert(kKeyBits % kDigitBits == 0 && kDigitBits == 8, "the digits are the bytes of a key");
static_assert(kPasses % 2 == 0, "after an even number of passes the keys are in d_out");
static_assert(kDigits <= kThreadsPerBlock && kCountThreads <= 1024, "a thread for every digit (of every pass)");
static_assert(2 * kHalfBits == kDigitBits && 1 << kHalfBits <= kWarp, "a lane for every half of a digit");
static_assert(kMaxKeys < 1u << 31, "a place in the output is counted in 31 bits");

// What a tile publishes of its keys with one digit, in one word: nothing yet; how many it has, below 2^31; or, in the
// lower 31 bits, how many all tiles up to and including it have. The first tile publishes only the latter.
enum : std::uint32_t { kPrefix = 1u << 31, kNothing = 0xFFFFFFFF };

__device__ int digit_of(std::uint32_t key, int shift) { return static_cast<int>(key >> shift & (kDigits - 1)); }

// Exclusive scan over every kDigits threads.
__device__ std::uint32_t scan_digits(std::uint32_t x) {
  constexpr int kDigitWarps = kDigits / kWarp;
  __shared__ std::uint32_t sums[kWarp];
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  std::uint32_t through = x;
#pragma unroll
  for (int stride = 1; stride < kWarp; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(kAllLanes, through, stride);
    if (lane >= stride) through += left;
  }
  if (lane == kWarp - 1) sums[warp] = through;
  __syncthreads();
#pragma unroll
  for (int w = 1; w < kDigitWarps; ++w)
    if (w <= warp % kDigitWarps) through += sums[warp - w];
  return through - x;
}

// starts[pass][digit], 0 before, becomes the place of the first key with that digit. A block has kCopies copies of all
// counts: with one for each lane, every lane adds in a bank of its own. `published` is filled with kNothing.
template <int kCopies>
__global__ void __launch_bounds__(kCountThreads)
    count_digits(const std::uint32_t* keys, std::uint32_t* starts, std::uint32_t* blocks_done, uint4* published,
                 std::size_t vectors_published, std::size_t n) {
  extern __shared__ std::uint32_t counts[];  // [pass][digit][copy]
  __shared__ bool is_last;
  const int t = static_cast<int>(threadIdx.x);
  for (int k = t; k < kPasses * kDigits * kCopies; k += kCountThreads) counts[k] = 0;
  const std::size_t thread = std::size_t{blockIdx.x} * kCountThreads + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * kCountThreads;
  for (std::size_t k = thread; k < vectors_published; k += threads)
    published[k] = uint4{kNothing, kNothing, kNothing, kNothing};
  __syncthreads();  // all counts are 0

  const auto count = [&](std::uint32_t key) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass)
      atomicAdd(&counts[(pass * kDigits + digit_of(key, pass * kDigitBits)) * kCopies + t % kCopies], 1u);
  };
  const auto count_vector = [&](uint4 four) { count(four.x), count(four.y), count(four.z), count(four.w); };
  const auto* const vectors = reinterpret_cast<const uint4*>(keys);
  const std::size_t whole = n / 4;
  std::size_t v = thread;
  for (; v + (kCountVectors - 1) * threads < whole; v += kCountVectors * threads) {
    uint4 four[kCountVectors];
#pragma unroll
    for (int k = 0; k < kCountVectors; ++k) four[k] = vectors[v + k * threads];
#pragma unroll
    for (int k = 0; k < kCountVectors; ++k) count_vector(four[k]);
  }
  for (; v < whole; v += threads) count_vector(vectors[v]);
  if (whole * 4 + thread < n) count(keys[whole * 4 + thread]);  // up to three are left over
  __syncthreads();                                              // all have counted

  std::uint32_t sum = 0;
  for (int turn = 0; turn < kCopies; ++turn) sum += counts[t * kCopies + (t + turn) % kCopies];
  if (sum != 0) atomicAdd(&starts[t], sum);
  __threadfence();  // the sums, before the block is done
  __syncthreads();
  if (t == 0) is_last = atomicAdd(blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  starts[t] = scan_digits(*const_cast<volatile std::uint32_t*>(&starts[t]));
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

// The number of keys with the thread's digit in all tiles before this one.
__device__ std::uint32_t look_back(const volatile std::uint32_t* published, int tile, int digit) {
  std::uint32_t before = 0;
  bool found = tile == 0;
  for (int at = tile - 1; !found;) {
    std::uint32_t window[kAhead], all = 0, sum = 0;
#pragma unroll
    for (int k = 0; k < kAhead; ++k) window[k] = published[std::size_t(max(at - k, 0)) * kDigits + digit];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) all |= window[k], sum += window[k];
    if ((all & kPrefix) == 0) {  // most often: four numbers of tiles
      before += sum;
      at -= kAhead;
      continue;
    }
    bool has_published =
        true;  // if one has not yet, it will: it was begun before this one. From there, the loop goes on.
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      has_published = has_published && !found && window[k] != kNothing;
      if (has_published) {
        before += window[k] & ~kPrefix;
        found = (window[k] & kPrefix) != 0;
        --at;
      }
    }
  }
  return before;
}

// Sorts the array by one digit. starts[digit]: where the first key with that digit goes.
template <int kItems, int shift>
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    sweep(const std::uint32_t* keys, std::uint32_t* out, const std::uint32_t* starts, std::uint32_t* next_tile,
          volatile std::uint32_t* published, std::size_t n) {
  constexpr int kTileItems = kThreadsPerBlock * kItems;
  extern __shared__ std::uint32_t shared[];
  __shared__ std::uint32_t offsets[kDigits];  // what to add to a place in the tile for a place in the output
  __shared__ int drawn;
  std::uint32_t* const tile_keys = shared;
  std::uint32_t* const counters = shared + kTileItems;  // [warp][digit]
  const int t = static_cast<int>(threadIdx.x), warp = t / kWarp, lane = t % kWarp;
  std::uint32_t* const own_counters = counters + warp * kDigits;
  for (int digit = lane; digit < kDigits; digit += kWarp) own_counters[digit] = 0;
  if (t == 0) drawn = static_cast<int>(atomicAdd(next_tile, 1u));  // in the order in which blocks begin
  __syncthreads();
  const int tile = drawn;
  const std::size_t first = std::size_t(tile) * kTileItems;
  const int count = static_cast<int>(min(n - first, std::size_t{kTileItems}));

  // The thread's keys: one from each row of 32 neighbours, and each warp has rows of its own. Beyond the end of the
  // array: the greatest key, as padding. It comes last in its tile, and a stable sort leaves it there, behind the real
  // keys. (No tile needs the counts of the last one.)
  const int own = warp * kWarp * kItems + lane;
  const std::uint32_t* const own_keys = keys + first + own;
  const auto read = [&](int row) { return own + row * kWarp < count ? own_keys[row * kWarp] : 0xFFFFFFFFu; };
  std::uint32_t mine[kItems];
  if (count == kTileItems) {
#pragma unroll
    for (int row = 0; row < kItems; ++row) mine[row] = own_keys[row * kWarp];
  } else {
#pragma unroll
    for (int row = 0; row < kItems; ++row) mine[row] = read(row);
  }
  // __byte_perm takes a byte out of the key. With digit_of, nvcc would keep the digits for later, and spill.
#pragma unroll
  for (int row = 0; row < kItems; ++row) atomicAdd(&own_counters[__byte_perm(mine[row], 0, 0x4440 | shift / 8)], 1u);
  __syncthreads();  // all warps have counted

  // Thread d adds up digit d over the warps and publishes the sum. Then each warp's counters become the places in the
  // tile where its keys go.
  std::uint32_t total = 0;
  std::uint32_t warps_before[kWarps];
  if (t < kDigits) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      warps_before[w] = total;
      total += counters[w * kDigits + t];
    }
    if (tile > 0) published[std::size_t(tile) * kDigits + t] = total;
  }
  const std::uint32_t start = scan_digits(total);  // in the tile
  if (t < kDigits) {
#pragma unroll
    for (int w = 0; w < kWarps; ++w) counters[w * kDigits + t] = start + warps_before[w];
  }
  __syncthreads();  // the counters are places

  const unsigned lanes_before = (1u << lane) - 1;
  unsigned mask[kHalfBits];
#pragma unroll
  for (int bit = 0; bit < kHalfBits; ++bit) mask[bit] = (lane >> bit & 1) != 0 ? kAllLanes : 0;
  std::uint32_t again[2] = {};
#pragma unroll
  for (int row = 0; row < kItems; ++row) {
    const std::uint32_t key = row < kHeldItems ? mine[row] : again[row % 2];
    if (row + 2 >= kHeldItems && row + 2 < kItems) again[row % 2] = read(row + 2);  // from the cache, two rows ahead
    const unsigned peers = peers_of<shift>(key, mask);
    const auto before = static_cast<std::uint32_t>(__popc(peers & lanes_before));
    const int last = kWarp - 1 - __clz(static_cast<int>(peers));
    std::uint32_t place = 0;  // of the first of the peers, known to the last of them, which adds for all
    if (lane == last) place = atomicAdd(&own_counters[digit_of(key, shift)], before + 1);
    __syncwarp();  // row by row
    tile_keys[__shfl_sync(kAllLanes, place, last) + before] = key;
  }

  if (t < kDigits) {
    const std::uint32_t before = look_back(published, tile, t);
    published[std::size_t(tile) * kDigits + t] = kPrefix | (before + total);
    offsets[t] = starts[t] + before - start;  // may be negative; unsigned numbers wrap around and come back
  }
  __syncthreads();  // the tile is in order, and its groups have their places
  const auto write = [&](int x) { out[offsets[digit_of(tile_keys[x], shift)] + x] = tile_keys[x]; };
  if (count == kTileItems) {
#pragma unroll 2
    for (int v = 0; v < kItems; ++v) write(v * kThreadsPerBlock + t);
  } else {
#pragma unroll 1
    for (int x = t; x < count; x += kThreadsPerBlock) write(x);
  }
}

constexpr int count_bytes(int copies) { return kPasses * kDigits * copies * static_cast<int>(sizeof(std::uint32_t)); }

template <int kItems, int kCopies>
void sort_tiles(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n, int multiprocessors) {
  constexpr std::size_t kTileItems = std::size_t{kThreadsPerBlock} * kItems, kStarts = kPasses * kDigits;
  constexpr std::size_t kShare = std::size_t{kCountThreads} * 4 * (kCopies == 1 ? 1 : kCountVectors);
  constexpr int kCountBytes = count_bytes(kCopies);
  constexpr int kSweepBytes = (kThreadsPerBlock * kItems + kWarps * kDigits) * static_cast<int>(sizeof(std::uint32_t));
  const std::size_t tiles = (n + kTileItems - 1) / kTileItems, words = tiles * kDigits;  // published in a pass
  // Those words, pass by pass; the starts; a line of counters; another array of keys.
  pool::Scratch<std::uint32_t> d_scratch;
  CHECK(pool::keep_freed_memory());
  CHECK(d_scratch.allocate(kPasses * words + kStarts + kWarp + n));
  std::uint32_t* const d_published = d_scratch.get();
  std::uint32_t* const d_starts = d_published + kPasses * words;
  std::uint32_t* const d_next = d_starts + kStarts;
  std::uint32_t* const d_other = d_next + kWarp;

  CHECK(cudaMemsetAsync(d_starts, 0, (kStarts + kWarp) * sizeof(std::uint32_t)));
  CHECK(cudaFuncSetAttribute(count_digits<kCopies>, cudaFuncAttributeMaxDynamicSharedMemorySize, kCountBytes));
  const auto blocks = static_cast<unsigned>(std::min((n + kShare - 1) / kShare, std::size_t(multiprocessors)));
  count_digits<kCopies><<<blocks, kCountThreads, kCountBytes>>>(
      d_in, d_starts, d_next + kPasses, reinterpret_cast<uint4*>(d_published), kPasses * words / 4, n);
  CHECK(cudaGetLastError());

  using Sweep = void (*)(const std::uint32_t*, std::uint32_t*, const std::uint32_t*, std::uint32_t*,
                         volatile std::uint32_t*, std::size_t);
  constexpr Sweep kSweeps[kPasses] = {sweep<kItems, 0>, sweep<kItems, kDigitBits>, sweep<kItems, 2 * kDigitBits>,
                                      sweep<kItems, 3 * kDigitBits>};
  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < kPasses; ++pass) {
    std::uint32_t* const d_to = pass % 2 == 0 ? d_other : d_out;  // by turns; the last pass ends in d_out
    CHECK(cudaFuncSetAttribute(kSweeps[pass], cudaFuncAttributeMaxDynamicSharedMemorySize, kSweepBytes));
    kSweeps[pass]<<<static_cast<unsigned>(tiles), kThreadsPerBlock, kSweepBytes>>>(
        d_from, d_to, d_starts + pass * kDigits, d_next + pass, d_published + pass * words, n);
    CHECK(cudaGetLastError());
    d_from = d_to;
  }
}

}  // namespace

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  int device = 0, multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  int most_shared = 0;
  CHECK(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  if (n / (kThreadsPerBlock * kLongItems) < static_cast<std::size_t>(multiprocessors))
    sort_tiles<kShortItems, 1>(d_in, d_out, n, multiprocessors);
  else if (count_bytes(kWarp) <= most_shared)
    sort_tiles<kLongItems, kWarp>(d_in, d_out, n, multiprocessors);
  else  // two lanes share a copy
    sort_tiles<kLongItems, kWarp / 2>(d_in, d_out, n, multiprocessors);
}
