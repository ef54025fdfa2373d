// Step 2 of merge_sort: the first eleven levels happen in shared memory.
// Idea      as long as a pair of runs fits into a tile of 2048 keys, it need not be merged in global memory. A block
//           loads its tile once, merges runs of 1, 2, 4 ... 1024 keys back and forth between two arrays in shared
//           memory, and stores a sorted run of 2048. Only the levels above that have launches of their own.
// Gain      x 1.15 on an H200 for 2^28 keys: 11 of 28 levels lose their trips through memory and their launches, and a
//           single trip replaces them. The other 17 are as slow as before, and have the longest searches.
// Traffic   8 bytes per key for the block sort, 8 for each of the levels above it: 144 bytes per key instead of 224.
// Wastes    the upper levels search for each key, in global memory, and use half of each sector that they store to.
//           Counters: kernels and sectors of global loads fall to less than half; warp instructions do not, since there
//           is still one search per key and level.

#include "merge_sort.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kTileLevels = 11;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert(kTileItems == 1 << kTileLevels, "the levels of a block make exactly one run of a tile");
static_assert(2 * kTileItems * sizeof(std::int32_t) <= 48 * 1024, "two tiles fit the 48 KiB of static shared memory");

// Of equal keys, those of the left run come first. So a key of the left run goes after those of the right run that are
// less, and a key of the right run after those of the left run that are less or equal. With the same comparison on both
// sides, two keys would get one place.
enum class Ties { kNotCounted, kCounted };

// Number of keys that are less than `key` (or equal to it, if those are counted).
template <Ties kTies, class Index>
__device__ Index count_before(std::int32_t key, const std::int32_t* keys, Index count) {
  Index low = 0;
  Index high = count;
  while (low < high) {  // the answer is in [low, high]
    const Index middle = low + (high - low) / 2;
    const bool is_before = kTies == Ties::kCounted ? keys[middle] <= key : keys[middle] < key;
    if (is_before)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Where key k of `in` goes when runs of 2^level keys are merged in pairs. The last run may be shorter, and may have no
// partner: it is then merged with nothing, which copies it.
template <class Index>
__device__ Index place_of(Index k, const std::int32_t* in, Index n, int level) {
  const Index run = k >> level;                      // number of the key's own run
  const Index own = run << level;                    // where it begins
  const Index partner = min((run ^ 1) << level, n);  // n: there is none
  const Index partner_end = min(((run ^ 1) + 1) << level, n);
  const Index pair = (run & ~Index{1}) << level;  // where the merged run begins
  const Index count = partner_end - partner;      // 0 ... 2^level
  const Index before = run % 2 == 0 ? count_before<Ties::kNotCounted>(in[k], in + partner, count)
                                    : count_before<Ties::kCounted>(in[k], in + partner, count);
  return pair + (k - own) + before;
}

// Sorts every tile of 2048 keys.
__global__ void __launch_bounds__(kThreadsPerBlock)
    sort_tiles(const std::int32_t* in, std::int32_t* out, std::size_t n) {
  __shared__ std::int32_t tiles[2][kTileItems];  // the runs of this level, and of the next
  const std::size_t tile = std::size_t{blockIdx.x} * kTileItems;
  const int count = static_cast<int>(min(n - tile, std::size_t{kTileItems}));  // 1 ... kTileItems
  for (int x = static_cast<int>(threadIdx.x); x < count; x += kThreadsPerBlock) tiles[0][x] = in[tile + x];
  int from = 0;
  for (int level = 0; level < kTileLevels; ++level) {
    __syncthreads();  // the runs are there, and no thread still reads those of the previous level
    for (int x = static_cast<int>(threadIdx.x); x < count; x += kThreadsPerBlock)
      tiles[1 - from][place_of(x, tiles[from], count, level)] = tiles[from][x];
    from = 1 - from;
  }
  __syncthreads();
  for (int x = static_cast<int>(threadIdx.x); x < count; x += kThreadsPerBlock) out[tile + x] = tiles[from][x];
}

// Merges runs of 2^level keys in pairs.
__global__ void merge_level(const std::int32_t* in, std::int32_t* out, std::size_t n, int level) {
  const std::size_t k = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (k < n) out[place_of(k, in, n, level)] = in[k];
}

}  // namespace

void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  const std::size_t tiles = (n + kTileItems - 1) / kTileItems;
  int levels = 0;  // above the tiles
  while (std::size_t{1} << levels < tiles) ++levels;
  pool::Scratch<std::int32_t> d_scratch;
  if (levels > 0) {
    CHECK(pool::keep_freed_memory());
    CHECK(d_scratch.allocate(n));
  }
  // The last level writes to d_out, the one before it to the scratch memory, and so on, alternating, down to the tiles.
  std::int32_t* d_from = levels % 2 == 0 ? d_out : d_scratch.get();
  sort_tiles<<<static_cast<unsigned>(tiles), kThreadsPerBlock>>>(d_in, d_from, n);
  CHECK(cudaGetLastError());
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  for (int level = kTileLevels; level < kTileLevels + levels; ++level) {
    std::int32_t* d_to = d_from == d_out ? d_scratch.get() : d_out;
    merge_level<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_from, d_to, n, level);
    CHECK(cudaGetLastError());
    d_from = d_to;
  }
}
