// Step 6 of merge_sort: four runs are merged at a time.
// Idea      what a level costs is the trip through memory. So let one trip do the work of two: a tile is made of shares
//           of four runs A, B, C, D, and merged twice in shared memory, A with B and C with D, then both results. Where
//           the shares begin is a co-rank of three unknowns, found by discarding what certainly comes first.
// Gain      x 1.12 on an H200, x 1.38 for nearly sorted keys; 1.35 and 1.46 times the library's rate. Half of the trips
//           above the tiles: 8 instead of 15 for 2^28 keys. Merging in shared memory takes as long as before, and now
//           it is the limit, not the memory: 2.1 TB/s, where step 5 has 3.3.
// Traffic   72 bytes per key for 2^28 keys, instead of 128. Counters: kernels, requests to global memory and sectors of
//           global loads fall by more than a third; warp instructions hardly change.
// Wastes    a border takes some 60 steps of a search instead of 28, and a merge of four runs takes two more barriers.
//           Where a level has two runs left, it is no better than before.
#include <cuda_pipeline.h>

#include <climits>

#include "merge_sort.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 32;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kWarpItems = 32 * kItemsPerThread;
constexpr int kVectorItems = 4;              // keys in 16 bytes
constexpr int kTileSlots = kTileItems + 32;  // a tile, and what lies beside its four shares in their vectors
constexpr int kRuns = 4;                     // merged at a time
constexpr int kPartitionThreads = 64;  // few a block: the searches of a level are to keep all multiprocessors busy
constexpr unsigned kWholeWarp = 0xFFFFFFFF;
static_assert((kThreadsPerBlock & (kThreadsPerBlock - 1)) == 0, "the runs of a block double until they are its tile");
static_assert(kItemsPerThread == 16 || kItemsPerThread == 32, "a lane's keys are a power of two, in 4 vectors or in 8");
static_assert(kTileSlots * sizeof(std::int32_t) <= 47 * 1024, "a tile fits the 48 KiB of static shared memory");
static_assert(kMaxKeys <= 2147483647, "a border, counted within its run, fits an int");

// Puts the smaller of two keys first.
__device__ void order(std::int32_t& first, std::int32_t& second) {
  const std::int32_t smaller = min(first, second);
  second = max(first, second);
  first = smaller;
}

// The steps of a bitonic merge within a thread: it compares keys `farthest` places apart, half as far, ... neighbours.
__device__ __forceinline__ void merge_within_thread(std::int32_t (&items)[kItemsPerThread], int farthest) {
#pragma unroll
  for (int distance = farthest; distance > 0; distance /= 2)
#pragma unroll
    for (int v = 0; v < kItemsPerThread; ++v)
      if ((v & distance) == 0) order(items[v], items[v + distance]);
}

// The smaller of two keys, or the larger one.
__device__ std::int32_t chosen(std::int32_t mine, std::int32_t other, bool smaller) {
  return (mine < other) == smaller ? mine : other;
}

// Sorts the keys of a warp; lane l then has keys 32 l ... 32 l + 31. Two sorted runs are merged by comparing the first
// key of one with the last of the other, the second with the last but one, and so on: a mirror between them. All
// smaller keys are then on the left and all larger ones on the right, and both halves are bitonic: comparisons over
// half the distance, a quarter, and so on down to 1 sort them. No index depends on a key. Source: K. Batcher, "Sorting
// networks and their applications", 1968.
__device__ void sort_warp(std::int32_t (&items)[kItemsPerThread]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int run = 1; run < kItemsPerThread; run *= 2) {
#pragma unroll
    for (int v = 0; v < kItemsPerThread; ++v)
      if ((v & run) == 0) order(items[v], items[v ^ (2 * run - 1)]);  // the mirror
    merge_within_thread(items, run / 2);
  }
#pragma unroll
  for (int lanes = 1; lanes < 32; lanes *= 2) {  // of a run
    const bool is_left = (lane & lanes) == 0;
#pragma unroll
    for (int v = 0; v < kItemsPerThread / 2; ++v) {  // the mirror: another lane's keys from the back
      const int w = kItemsPerThread - 1 - v;
      const std::int32_t of_w = __shfl_xor_sync(kWholeWarp, items[w], 2 * lanes - 1);
      const std::int32_t of_v = __shfl_xor_sync(kWholeWarp, items[v], 2 * lanes - 1);
      items[v] = chosen(items[v], of_w, is_left);
      items[w] = chosen(items[w], of_v, is_left);
    }
#pragma unroll
    for (int distance = lanes / 2; distance > 0; distance /= 2)
#pragma unroll
      for (int v = 0; v < kItemsPerThread; ++v)
        items[v] = chosen(items[v], __shfl_xor_sync(kWholeWarp, items[v], distance), (lane & distance) == 0);
    merge_within_thread(items, kItemsPerThread / 2);
  }
}

// Where key x of a tile is in shared memory. Vectors of four keys are permuted within groups of eight vectors: eight
// lanes that store one vector each, eight vectors apart, cover the 32 banks without a conflict. Reads of keys that are
// one thread's share apart take 4 turns instead of 32.
__device__ int place(int x) { return x ^ (x >> 3 & 28); }

// Stores a thread's items at their places in the tile, one vector at a time.
__device__ void store_items(const std::int32_t (&items)[kItemsPerThread], std::int32_t* slots) {
  const int first = static_cast<int>(threadIdx.x) * kItemsPerThread;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; v += kVectorItems)
    *reinterpret_cast<int4*>(slots + place(first + v)) = {items[v], items[v + 1], items[v + 2], items[v + 3]};
}

// Copies the first `count` keys of the tile to `out`, in whole vectors except for the last keys of the array. Each warp
// copies what its own lanes have stored in the tile.
__device__ void store_tile(const std::int32_t* slots, std::int32_t* out, int count) {
  __syncwarp();
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32 * kWarpItems;
#pragma unroll
  for (int v = 0; v < kWarpItems; v += 32 * kVectorItems) {
    const int x = warp + v + lane * kVectorItems;
    if (x + kVectorItems <= count)
      *reinterpret_cast<int4*>(out + x) = *reinterpret_cast<const int4*>(slots + place(x));
    else
      for (int last = x; last < count; ++last) out[last] = slots[place(last)];
  }
}

// Sorted keys of a tile in shared memory. The slot after the last one must be readable.
struct Keys {
  int first;
  int count;
};

// A sequential merge of A and B in progress: what is left of each, and the first key left of each.
struct Merge {
  const std::int32_t* slots;
  int i;  // of A's rest, up to a_stop
  int j;  // of B's rest, up to b_stop
  int a_stop;
  int b_stop;
  std::int32_t of_a;
  std::int32_t of_b;

  // After the first k outputs. How many of them come from A, if equal keys of A come before those of B?
  __device__ Merge(const std::int32_t* slots, Keys a, Keys b, int k)
      : slots(slots), a_stop(a.first + a.count), b_stop(b.first + b.count) {
    int low = max(k - b.count, 0);
    int high = min(k, a.count);
    while (low < high) {  // the answer is in [low, high]
      const int guess = (low + high) / 2;
      if (slots[place(a.first + guess)] <= slots[place(b.first + k - 1 - guess)])
        low = guess + 1;
      else
        high = guess;
    }
    i = a.first + low;
    j = b.first + k - low;
    of_a = slots[place(i)];
    of_b = slots[place(j)];
  }

  // The next output, which must exist.
  __device__ std::int32_t take() {
    const bool takes_a = j == b_stop || (i < a_stop && of_a <= of_b);
    const std::int32_t key = takes_a ? of_a : of_b;
    i += takes_a ? 1 : 0;
    j += takes_a ? 0 : 1;
    const std::int32_t next = slots[place(takes_a ? i : j)];  // one load for all lanes, whichever way they go
    of_a = takes_a ? next : of_a;
    of_b = takes_a ? of_b : next;
    return key;
  }
};

// Makes kItemsPerThread outputs, from output `first` on, all of which must exist.
__device__ void merge_segment(const std::int32_t* slots, Keys a, Keys b, int first,
                              std::int32_t (&items)[kItemsPerThread]) {
  Merge merge(slots, a, b, first);
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) items[v] = merge.take();
}

// The same where outputs may not exist, or belong to two merges: the outputs of A and B are followed by those of C and
// D. Where there is no output, the item keeps its value.
__device__ void merge_border_segment(const std::int32_t* slots, Keys a, Keys b, Keys c, Keys d, int first,
                                     std::int32_t (&items)[kItemsPerThread]) {
  const int until = a.count + b.count - first;  // outputs before those of C and D
  const int mine = until + c.count + d.count;
  Merge merge = until > 0 ? Merge(slots, a, b, first) : Merge(slots, c, d, min(-until, c.count + d.count));
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    if (v > 0 && v == until) merge = Merge(slots, c, d, 0);
    if (v < mine) items[v] = merge.take();
  }
}

// Sorts every tile of 8192 keys.
__global__ void __launch_bounds__(kThreadsPerBlock)
    sort_tiles(const std::int32_t* in, std::int32_t* out, std::size_t n) {
  __shared__ alignas(16) std::int32_t slots[kTileSlots];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = thread * kItemsPerThread;
  const std::size_t tile = std::size_t{blockIdx.x} * kTileItems;
  const int count = static_cast<int>(min(n - tile, std::size_t{kTileItems}));  // 1 ... kTileItems
  // Which thread begins with which keys does not matter, so neighbouring threads load neighbouring keys. The last tile
  // is padded with INT_MAX. Real keys may have that value, too, but the first `count` places are right all the same:
  // equal keys look alike.
  std::int32_t items[kItemsPerThread];
#pragma unroll
  for (int v = 0; v < kItemsPerThread; v += kVectorItems) {
    const int x = v * kThreadsPerBlock + thread * kVectorItems;
    if (x + kVectorItems <= count) {
      const int4 vector = *reinterpret_cast<const int4*>(in + tile + x);
      items[v] = vector.x;
      items[v + 1] = vector.y;
      items[v + 2] = vector.z;
      items[v + 3] = vector.w;
    } else {
#pragma unroll
      for (int w = 0; w < kVectorItems; ++w) items[v + w] = x + w < count ? in[tile + x + w] : INT_MAX;
    }
  }
  sort_warp(items);
  if (thread == 0) slots[kTileItems] = 0;
  for (int run = 32 * kItemsPerThread; run < kTileItems; run *= 2) {
    __syncthreads();  // no thread still reads the shorter runs
    store_items(items, slots);
    __syncthreads();  // the runs are there
    const int pair = first / (2 * run) * (2 * run);
    merge_segment(slots, {pair, run}, {pair + run, run}, first - pair, items);
  }
  __syncthreads();
  store_items(items, slots);
  store_tile(slots, out + tile, count);
}

// Four neighbouring runs, to be merged into one. The last run of the array may be shorter, and runs may be missing.
struct Group {
  std::size_t first;  // of the first run, and of the merged one
  int counts[kRuns];  // keys of each run; 0: there is none

  __device__ Group(std::size_t tile, std::size_t run, std::size_t size) : first(tile & ~(kRuns * run - 1)) {
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
      const std::size_t begin = min(first + r * run, size);
      counts[r] = static_cast<int>(min(run, size - begin));
    }
  }
};

// Finds where each tile begins in the runs of its group, by discarding keys that certainly come before it. When `left`
// keys are still to be found in `open` runs, look at key number left / open, rounded up, of each run, and take the run
// where that key is the smallest (of equal ones, the first run). Of every run, fewer than that number of keys come
// before it: together with it, at most `left`. So it and all keys before it in its run can be discarded.
__global__ void partition_level(const std::int32_t* in, int4* borders, std::size_t size, std::size_t run) {
  const std::size_t number = std::size_t{blockIdx.x} * kPartitionThreads + threadIdx.x;
  const std::size_t tile = number * kTileItems;
  if (tile >= size) return;
  const Group group(tile, run, size);
  int begin[kRuns] = {};  // keys of each run that come before the tile
  for (auto left = static_cast<unsigned>(tile - group.first); left > 0;) {
    unsigned open = 0;  // runs that are not used up
#pragma unroll
    for (int r = 0; r < kRuns; ++r) open += begin[r] < group.counts[r] ? 1 : 0;
    const int step = static_cast<int>((left + open - 1) / open);  // open > 0, since keys are left
    bool exists[kRuns];
    std::int32_t keys[kRuns];  // all asked for before the first is looked at: one wait a step, not four
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
      exists[r] = step <= group.counts[r] - begin[r];
      keys[r] = exists[r] ? in[group.first + r * run + begin[r] + step - 1] : 0;
    }
    int least = -1;
    std::int32_t least_key = 0;
#pragma unroll
    for (int r = 0; r < kRuns; ++r) {
      const bool is_less = exists[r] && (least < 0 || keys[r] < least_key);
      least = is_less ? r : least;
      least_key = is_less ? keys[r] : least_key;
    }
#pragma unroll
    for (int r = 0; r < kRuns; ++r) begin[r] += r == least ? step : 0;
    left -= step;
  }
  borders[number] = {begin[0], begin[1], begin[2], begin[3]};
}

// Keys begin ... begin + count - 1 of an array, in whole vectors.
struct Share {
  std::size_t first;  // a multiple of kVectorItems
  int skip;           // keys that lie before the share, 0 ... 3
  int count;          // keys of the share
  int vectors;        // one key at least lies behind the share

  __device__ Share(std::size_t begin, int count)
      : first(begin / kVectorItems * kVectorItems),
        skip(static_cast<int>(begin % kVectorItems)),
        count(count),
        vectors((skip + count) / kVectorItems + 1) {}
};

// Requests a share's vectors, which go to vectors `to`, `to` + 1, ... of the tile, and does not wait for them. What
// would be beyond the array is 0.
__device__ void fetch(const std::int32_t* in, std::size_t size, const Share& share, std::int32_t* slots, int to) {
  for (int x = static_cast<int>(threadIdx.x); x < share.vectors; x += kThreadsPerBlock) {
    const std::size_t from = share.first + x * kVectorItems;
    std::int32_t* slot = slots + place((to + x) * kVectorItems);
    if (from + kVectorItems <= size)
      __pipeline_memcpy_async(slot, in + from, sizeof(int4));
    else
      for (int v = 0; v < kVectorItems; ++v) slot[v] = from + v < size ? in[from + v] : 0;
  }
}

// Merges runs of `run` keys, four at a time. A block makes one tile of the output. Groups consist of whole tiles, so a
// tile belongs to one group.
__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_level(const std::int32_t* in, std::int32_t* out, const int4* borders, std::size_t size, std::size_t run) {
  __shared__ alignas(16) std::int32_t slots[kTileSlots];  // shares of all four runs; two merged ones; the merged tile
  const std::size_t tile = std::size_t{blockIdx.x} * kTileItems;
  const Group group(tile, run, size);
  const std::size_t group_size = min(kRuns * run, size - group.first);
  const bool is_last = tile - group.first + kTileItems >= group_size;  // of the group: it ends where the runs end
  const int4 begin = borders[blockIdx.x];
  const int4 next = is_last ? int4{} : borders[blockIdx.x + 1];
  const int begins[kRuns] = {begin.x, begin.y, begin.z, begin.w};
  const int nexts[kRuns] = {next.x, next.y, next.z, next.w};
  Keys keys[kRuns];
  int vectors = 0;
#pragma unroll
  for (int r = 0; r < kRuns; ++r) {
    const Share share(group.first + r * run + begins[r], (is_last ? group.counts[r] : nexts[r]) - begins[r]);
    fetch(in, size, share, slots, vectors);
    keys[r] = {vectors * kVectorItems + share.skip, share.count};
    vectors += share.vectors;
  }
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();  // the keys are there

  const Keys left = {0, keys[0].count + keys[1].count};  // where A and B will be merged to
  const Keys right = {left.count, keys[2].count + keys[3].count};
  const int count = left.count + right.count;
  const int first = static_cast<int>(threadIdx.x) * kItemsPerThread;
  const int warp = first / kWarpItems * kWarpItems;
  std::int32_t items[kItemsPerThread] = {};
  const bool is_left = warp + kWarpItems <= left.count;
  const bool is_right = warp >= left.count && warp + kWarpItems <= count;
  // A warp takes one branch as a whole. In a full tile all but the one that contains the border take the shorter one.
  if (is_left || is_right)
    merge_segment(slots, is_left ? keys[0] : keys[2], is_left ? keys[1] : keys[3], is_left ? first : first - left.count,
                  items);
  else
    merge_border_segment(slots, keys[0], keys[1], keys[2], keys[3], first, items);
  __syncthreads();  // no thread still reads the shares: what they were merged to takes their place
  store_items(items, slots);
  if (left.count > 0 && right.count > 0) {  // the same for all threads
    __syncthreads();                        // both merged halves are there
    if (count == kTileItems)
      merge_segment(slots, left, right, first, items);
    else
      merge_border_segment(slots, left, right, {}, {}, first, items);
    __syncthreads();  // no thread still reads the halves
    store_items(items, slots);
  }
  store_tile(slots, out + tile, count);
}

}  // namespace

void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  const std::size_t tiles = (n + kTileItems - 1) / kTileItems;
  int levels = 0;  // above the tiles; each makes runs four times as long
  while (std::size_t{1} << 2 * levels < tiles) ++levels;
  pool::Scratch<std::int32_t> d_scratch;  // keys, in whole vectors, and behind them the borders of the tiles
  const std::size_t key_slots = (n + kVectorItems - 1) / kVectorItems * kVectorItems;
  if (levels > 0) {
    CHECK(pool::keep_freed_memory());
    CHECK(d_scratch.allocate(key_slots + tiles * kRuns));
  }
  int4* d_borders = reinterpret_cast<int4*>(d_scratch.get() + key_slots);
  // The last level writes to d_out, the one before it to the scratch memory, and so on, alternating, down to the tiles.
  std::int32_t* d_from = levels % 2 == 0 ? d_out : d_scratch.get();
  sort_tiles<<<static_cast<unsigned>(tiles), kThreadsPerBlock>>>(d_in, d_from, n);
  CHECK(cudaGetLastError());
  const std::size_t partition_blocks = (tiles + kPartitionThreads - 1) / kPartitionThreads;
  for (std::size_t run = kTileItems; run < n; run *= kRuns) {
    std::int32_t* d_to = d_from == d_out ? d_scratch.get() : d_out;
    partition_level<<<static_cast<unsigned>(partition_blocks), kPartitionThreads>>>(d_from, d_borders, n, run);
    CHECK(cudaGetLastError());
    merge_level<<<static_cast<unsigned>(tiles), kThreadsPerBlock>>>(d_from, d_to, d_borders, n, run);
    CHECK(cudaGetLastError());
    d_from = d_to;
  }
}
