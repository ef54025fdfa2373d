// Step 7 of merge_sort: a warp searches for a border.
// Idea      where there are few keys, a level waits neither for memory nor for merges, but for its longest search: some
//           60 steps, each a trip to the L2 cache. So let lanes search together. A warp looks at 32 keys in each step,
//           and about seven steps suffice. Then a block can search for its own borders, and a level is one launch
//           instead of two. Tiles are half as large there, so that more multiprocessors have one.
// Gain      on an H200 x 1.5 to 1.8 over step 6 from 2^16 to 2^20 keys, which step 6 sorts at 0.76 to 0.85 of the
//           library's rate, and this step at 1.3 to 1.5 times it; x 1.16 for 2^24, x 1.01 for 2^28.
// Traffic   as before: the steps of a search by a whole warp touch about as many sectors as those of one by a thread.
//           Counters: for a hundred thousand keys, kernels fall from 5 to 4.
// Wastes    lanes: a warp needs more than ten times the instructions of a thread to find one border. Where there are
//           many borders to find, that takes longer than to wait, so the more keys there are, the fewer lanes search.
#include <cuda_pipeline.h>

#include <climits>

#include "merge_sort.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kWarp = 32;
constexpr int kVectorItems = 4;        // keys in 16 bytes
constexpr int kRuns = 4;               // merged at a time
constexpr int kPartitionThreads = 64;  // few a block: the searches of a level are to keep all multiprocessors busy
constexpr unsigned kWholeWarp = 0xFFFFFFFF;
static_assert((kThreadsPerBlock & (kThreadsPerBlock - 1)) == 0, "the runs of a block double until they are its tile");
static_assert(kThreadsPerBlock >= 2 * kWarp, "a warp searches for the beginning of a tile, another for its end");
static_assert(kMaxKeys <= 2147483647, "a border, counted within its run, fits an int");

template <int kItemsPerThread>
constexpr int kTileItems = kThreadsPerBlock* kItemsPerThread;
template <int kItemsPerThread>
constexpr int kTileSlots = kTileItems<kItemsPerThread> + 32;  // with what lies beside its four shares in their vectors

// Puts the smaller of two keys first.
__device__ void order(std::int32_t& first, std::int32_t& second) {
  const std::int32_t smaller = min(first, second);
  second = max(first, second);
  first = smaller;
}

// The steps of a bitonic merge within a thread: it compares keys `farthest` places apart, half as far, ... neighbours.
template <int kItemsPerThread>
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

// Sorts the keys of a warp; lane l then has kItemsPerThread keys, from number l * kItemsPerThread on. Two sorted runs
// are merged by comparing the first key of one with the last of the other, the second with the last but one, and so on:
// a mirror between them. All smaller keys are then on the left and all larger ones on the right, and both halves are
// bitonic: comparisons over half the distance, a quarter, and so on down to 1 sort them. No index depends on a key.
// Source: K. Batcher, "Sorting networks and their applications", 1968.
template <int kItemsPerThread>
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
template <int kItemsPerThread>
__device__ void store_items(const std::int32_t (&items)[kItemsPerThread], std::int32_t* slots) {
  const int first = static_cast<int>(threadIdx.x) * kItemsPerThread;
#pragma unroll
  for (int v = 0; v < kItemsPerThread; v += kVectorItems)
    *reinterpret_cast<int4*>(slots + place(first + v)) = {items[v], items[v + 1], items[v + 2], items[v + 3]};
}

// Copies the first `count` keys of the tile to `out`, in whole vectors except for the last keys of the array. Each warp
// copies what its own lanes have stored in the tile.
template <int kItemsPerThread>
__device__ void store_tile(const std::int32_t* slots, std::int32_t* out, int count) {
  constexpr int kWarpItems = kWarp * kItemsPerThread;
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
template <int kItemsPerThread>
__device__ void merge_segment(const std::int32_t* slots, Keys a, Keys b, int first,
                              std::int32_t (&items)[kItemsPerThread]) {
  Merge merge(slots, a, b, first);
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) items[v] = merge.take();
}

// The same where outputs may not exist, or belong to two merges: the outputs of A and B are followed by those of C and
// D. Where there is no output, the item keeps its value.
template <int kItemsPerThread>
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

// Sorts every tile of kTileItems keys.
template <int kItemsPerThread>
__global__ void __launch_bounds__(kThreadsPerBlock)
    sort_tiles(const std::int32_t* in, std::int32_t* out, std::size_t n) {
  __shared__ alignas(16) std::int32_t slots[kTileSlots<kItemsPerThread>];
  const int thread = static_cast<int>(threadIdx.x);
  const int first = thread * kItemsPerThread;
  constexpr int kCount = kTileItems<kItemsPerThread>;
  const std::size_t tile = std::size_t{blockIdx.x} * kCount;
  const int count = static_cast<int>(min(n - tile, std::size_t{kCount}));  // 1 ... kCount
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
  if (thread == 0) slots[kCount] = 0;
  for (int run = 32 * kItemsPerThread; run < kCount; run *= 2) {
    __syncthreads();  // no thread still reads the shorter runs
    store_items(items, slots);
    __syncthreads();  // the runs are there
    const int pair = first / (2 * run) * (2 * run);
    merge_segment(slots, {pair, run}, {pair + run, run}, first - pair, items);
  }
  __syncthreads();
  store_items(items, slots);
  store_tile<kItemsPerThread>(slots, out + tile, count);
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

// Where the first `left` keys of a group end in each of its runs. kLanes neighbouring lanes search together, a quarter
// of them in each run, and each is told the end in its run. Called by whole warps; every kLanes lanes may have a group
// and a `left` of their own.
//
// In each step, the lanes of a run look at keys number `step`, 2 `step`, ... of what is left of it. Let K be one of the
// keys looked at, and in place number `rank` among them. Behind those looked at, a run has at most `step` - 1 keys that
// come before K, unless even the last one looked at does. So if rank * step + 3 * (step - 1) is at most `left`, all
// keys up to K are among the first `left`, and can be discarded. Of equal keys, those of an earlier run come first.
template <int kLanes>
__device__ int search_border(const std::int32_t* in, const Group& group, std::size_t run, int left) {
  constexpr int kSamples = kLanes / kRuns;  // keys of each run that are looked at in a step
  // Into how many parts `left` is divided. A warp can discard half of it even if all of that is in one run, and 13 of
  // 16 parts if the runs are alike. More parts would gain less in the first case, fewer in the second.
  constexpr int kParts = kSamples == 1 ? kRuns : 2 * kSamples;
  const int lane = static_cast<int>(threadIdx.x) % kLanes;
  const int first_lane = static_cast<int>(threadIdx.x) % kWarp - lane;
  const int r = lane / kSamples;
  const int sample = lane % kSamples + 1;
  const std::int32_t* const keys = in + group.first + r * run;
  const int count = r == 0 ? group.counts[0] : r == 1 ? group.counts[1] : r == 2 ? group.counts[2] : group.counts[3];
  int begin = 0;  // keys discarded
  while (__any_sync(kWholeWarp, left > 0)) {
    const int step = (left - 1) / kParts + 1;
    const bool exists = left > 0 && sample * step <= count - begin;
    const std::int32_t key = exists ? keys[begin + sample * step - 1] : 0;
    const unsigned existing = __ballot_sync(kWholeWarp, exists) >> first_lane;
    unsigned rank = 1;
    bool is_unbounded = false;  // the last key looked at in another run comes before this one
#pragma unroll
    for (int other = 0; other < kLanes; ++other) {
      const std::int32_t its_key = __shfl_sync(kWholeWarp, key, other, kLanes);
      const bool precedes = (its_key < key || (its_key == key && other < lane)) && (existing >> other & 1) != 0;
      rank += precedes ? 1 : 0;
      if (other % kSamples == kSamples - 1) is_unbounded |= precedes && other / kSamples != r;
    }
    const bool is_certain = rank * step + (kRuns - 1) * (step - 1) <= static_cast<unsigned>(left);
    const unsigned discarded = __ballot_sync(kWholeWarp, exists && is_certain && !is_unbounded) >> first_lane;
    begin += step * __popc(discarded >> r * kSamples & ((1u << kSamples) - 1));
    left -= step * __popc(discarded & kWholeWarp >> (kWarp - kLanes));
  }
  return begin;
}

// Finds where each tile begins in the runs of its group.
template <int kItemsPerThread, int kLanes>
__global__ void __launch_bounds__(kPartitionThreads)
    partition_level(const std::int32_t* in, int* borders, std::size_t size, std::size_t run) {
  constexpr int kSamples = kLanes / kRuns;
  const std::size_t number = (std::size_t{blockIdx.x} * kPartitionThreads + threadIdx.x) / kLanes;
  const std::size_t tile = number * kTileItems<kItemsPerThread>;
  const Group group(tile, run, size);
  const int before = tile < size ? static_cast<int>(tile - group.first) : 0;
  const int begin = search_border<kLanes>(in, group, run, before);
  if (tile < size && threadIdx.x % kSamples == 0) borders[number * kRuns + threadIdx.x % kLanes / kSamples] = begin;
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
template <int kItemsPerThread, bool kSearches>
__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_level(const std::int32_t* in, std::int32_t* out, const int* borders, std::size_t size, std::size_t run) {
  // Shares of all four runs; two merged ones; the merged tile.
  __shared__ alignas(16) std::int32_t slots[kTileSlots<kItemsPerThread>];
  __shared__ int ends[2][kRuns];  // where the tile begins in each run, and where it ends
  constexpr int kCount = kTileItems<kItemsPerThread>;
  constexpr int kWarpItems = kWarp * kItemsPerThread;
  const int thread = static_cast<int>(threadIdx.x);
  const std::size_t tile = std::size_t{blockIdx.x} * kCount;
  const Group group(tile, run, size);
  const std::size_t group_size = min(kRuns * run, size - group.first);
  if constexpr (kSearches) {
    const int w = thread / kWarp;
    if (w < 2) {
      const std::size_t before = min(tile - group.first + w * kCount, group_size);
      const int end = search_border<kWarp>(in, group, run, static_cast<int>(before));
      constexpr int kSamples = kWarp / kRuns;
      if (thread % kSamples == 0) ends[w][thread % kWarp / kSamples] = end;
    }
  } else if (thread < 2 * kRuns) {
    const bool is_last = tile - group.first + kCount >= group_size;  // of the group: it ends where the runs end
    const int w = thread / kRuns, r = thread % kRuns;
    ends[w][r] = w == 1 && is_last ? static_cast<int>(min(run, size - min(size, group.first + r * run)))
                                   : borders[(blockIdx.x + w) * kRuns + r];
  }
  __syncthreads();  // the borders are known
  Keys keys[kRuns];
  int vectors = 0;
#pragma unroll
  for (int r = 0; r < kRuns; ++r) {
    const Share share(group.first + r * run + ends[0][r], ends[1][r] - ends[0][r]);
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
  const int first = thread * kItemsPerThread;
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
    if (count == kCount)
      merge_segment(slots, left, right, first, items);
    else
      merge_border_segment(slots, left, right, {}, {}, first, items);
    __syncthreads();  // no thread still reads the halves
    store_items(items, slots);
  }
  store_tile<kItemsPerThread>(slots, out + tile, count);
}

// Sorts tiles and merges them, four at a time. kLanes search for a border together. If they are a warp, blocks search
// for the borders of their tiles; otherwise there is a kernel for it.
template <int kItemsPerThread, int kLanes>
void sort_by_tiles(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  constexpr std::size_t kCount = kTileItems<kItemsPerThread>;
  constexpr bool kSearches = kLanes == kWarp;
  const std::size_t tiles = (n + kCount - 1) / kCount;
  const auto blocks = static_cast<unsigned>(tiles);
  int levels = 0;  // above the tiles; each makes runs four times as long
  while (std::size_t{1} << 2 * levels < tiles) ++levels;
  pool::Scratch<std::int32_t> d_scratch;  // keys, and behind them the borders of the tiles
  if (levels > 0) {
    CHECK(pool::keep_freed_memory());
    CHECK(d_scratch.allocate(kSearches ? n : n + tiles * kRuns));
  }
  std::int32_t* const d_borders = kSearches ? nullptr : d_scratch.get() + n;
  // The last level writes to d_out, the one before it to the scratch memory, and so on, alternating, down to the tiles.
  std::int32_t* d_from = levels % 2 == 0 ? d_out : d_scratch.get();
  sort_tiles<kItemsPerThread><<<blocks, kThreadsPerBlock>>>(d_in, d_from, n);
  CHECK(cudaGetLastError());
  for (std::size_t run = kCount; run < n; run *= kRuns) {
    if constexpr (!kSearches) {
      const std::size_t threads = tiles * kLanes;
      const auto partition_blocks = static_cast<unsigned>((threads + kPartitionThreads - 1) / kPartitionThreads);
      partition_level<kItemsPerThread, kLanes><<<partition_blocks, kPartitionThreads>>>(d_from, d_borders, n, run);
      CHECK(cudaGetLastError());
    }
    std::int32_t* d_to = d_from == d_out ? d_scratch.get() : d_out;
    merge_level<kItemsPerThread, kSearches><<<blocks, kThreadsPerBlock>>>(d_from, d_to, d_borders, n, run);
    CHECK(cudaGetLastError());
    d_from = d_to;
  }
}

}  // namespace

// The sizes at which to change are those of an H200.
void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  if (n <= std::size_t{1} << 21)
    sort_by_tiles<16, kWarp>(d_in, d_out, n);
  else if (n <= std::size_t{1} << 26)
    sort_by_tiles<32, 16>(d_in, d_out, n);
  else
    sort_by_tiles<32, 4>(d_in, d_out, n);
}
