// Step 6 of merge_sorted: the next tile is on its way while this one is merged.
// Idea      a block makes eight tiles, one after another, in two buffers. Before it merges the tile in one buffer, it
//           requests the next tile for the other. No thread needs to wait for a bulk copy, so the two run side by side.
// Gain      x 1.04 on an H200, 3.4 TB/s, the library's rate; where one array is 255 times as long as the other, x 1.00
//           and 0.94 of the library's rate. Memory is kept busy: 4 blocks per multiprocessor always have 4 tiles on
//           their way, 90 KiB, where 48 KiB are enough (the figure CUB is tuned to). In step 5 this depends on how many
//           blocks happen to be loading.
// Traffic   8 bytes per output, as before. Counters: nearly as in step 5; 7 % more instructions, since tiles are
//           shorter (two must fit) and more borders are searched for. What changes is when things happen, which the
//           timeline of a block shows.
// Wastes    each block has to wait for its first tile, and eight tiles share that wait. With more tiles per block, the
//           last blocks of the grid would be alone on the device for longer.
#include "merge.cuh"

#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

namespace {

constexpr int kThreadsPerBlock = 384;
constexpr int kItemsPerThread = 15;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kTilesPerBlock = 8;
constexpr int kVectorItems = 4;  // keys in 16 bytes: bulk copies begin and end at multiples of these
constexpr int kTileSlots = kTileItems + 3 * kVectorItems;  // two shares of whole vectors, and one vector behind each
static_assert(kItemsPerThread % 2 == 1, "an odd number of outputs a thread puts the lanes' stores into 32 banks");
static_assert(kTileItems % kVectorItems == 0, "every tile of the output begins at a multiple of 16 bytes");
static_assert(kThreadsPerBlock >= kVectorItems, "a thread each fetches the keys beside a bulk copy");
static_assert(2 * kTileSlots * sizeof(std::int32_t) <= 47 * 1024, "two tiles fit 48 KiB of static shared memory");
static_assert(kMaxElements <= 2147483647, "a co-rank is kept where a key will be");

// How many of the first k outputs come from A, if equal keys of A come before those of B.
template <class Index>
__device__ Index co_rank(Index k, const std::int32_t* a, Index m, const std::int32_t* b, Index n) {
  Index low = k > n ? k - n : 0;  // B has n elements, so at least k - n come from A
  Index high = k < m ? k : m;
  while (low < high) {  // the answer is in [low, high]
    const Index i = low + (high - low) / 2;
    if (a[i] <= b[k - 1 - i])  // a[i] comes before b[k - 1 - i]: i elements of A are too few
      low = i + 1;
    else
      high = i;
  }
  return low;
}

// Finds where each tile begins in A, and stores that where the tile's first outputs will go: until the tile is stored,
// that memory is free. Slot 0 of a tile holds its beginning, slot 1 its end. (The last tile's end is m.)
__global__ void partition_kernel(const std::int32_t* a, std::size_t m, const std::int32_t* b, std::size_t n,
                                 std::int32_t* out) {
  const std::size_t k = (std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) * kTileItems;
  if (k >= m + n) return;
  const auto border = static_cast<std::int32_t>(co_rank(k, a, m, b, n));  // 0 ... m
  out[k] = border;
  if (k > 0) out[k - kTileItems + 1] = border;
}

// A tile's share of one input, in whole vectors of 16 bytes, which is what bulk copies move: it begins up to three keys
// early and ends one to four keys late. So there is always a slot after the last key, for threads that read ahead.
struct Share {
  const std::int32_t* from;  // at a multiple of 16 bytes
  int skip;                  // keys that lie before the share, 0 ... 3
  int count;                 // keys of the share
  bool is_inside;            // false: the last vector reaches beyond the end of the array

  // Keys begin ... begin + count - 1 of an array of `size` keys.
  __device__ Share(const std::int32_t* keys, std::size_t size, std::size_t begin, int count)
      : from(keys + begin / kVectorItems * kVectorItems),
        skip(static_cast<int>(begin % kVectorItems)),
        count(count),
        is_inside(begin - skip + slots() <= size) {}

  // Slots that it takes in shared memory.
  __device__ int slots() const { return (skip + count) / kVectorItems * kVectorItems + kVectorItems; }

  // Keys that a bulk copy may move. The last vector of the array may be left to threads.
  __device__ int bulk() const { return is_inside ? slots() : slots() - kVectorItems; }

  // What belongs in slot bulk() + x, x in [0, 4): a key, or anything at all after the last one.
  __device__ std::int32_t beside(int x) const { return bulk() + x < skip + count ? from[bulk() + x] : 0; }
};

using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// A tile: its share of A and of B, and its place in the output.
struct Tile {
  Share a;
  Share b;
  std::size_t first;  // output
  int out_count;      // 1 ... kTileItems
};

// The tile whose first output is `first`, and whose keys of A begin at a_begin and end before a_end.
__device__ Tile tile_of(const std::int32_t* a, std::size_t m, const std::int32_t* b, std::size_t n, std::size_t first,
                        std::size_t a_begin, std::size_t a_end) {
  const int out_count = static_cast<int>(min(m + n - first, std::size_t{kTileItems}));
  const int a_count = static_cast<int>(a_end - a_begin);
  return {Share(a, m, a_begin, a_count), Share(b, n, first - a_begin, out_count - a_count), first, out_count};
}

// Requests both shares, which go one after the other into `slots`, and does not wait for them: a thread that has waited
// for the token finds them there.
__device__ BlockBarrier::arrival_token load(const Tile& tile, std::int32_t* slots, BlockBarrier& barrier) {
  const int thread = static_cast<int>(threadIdx.x);
  std::int32_t* to_b = slots + tile.a.slots();
  if (!tile.a.is_inside && thread < kVectorItems) slots[tile.a.bulk() + thread] = tile.a.beside(thread);
  if (!tile.b.is_inside && thread < kVectorItems) to_b[tile.b.bulk() + thread] = tile.b.beside(thread);
  if (thread != 0) return barrier.arrive();
  const std::size_t a_bytes = tile.a.bulk() * sizeof(std::int32_t);
  const std::size_t b_bytes = tile.b.bulk() * sizeof(std::int32_t);
  if (a_bytes > 0) cuda::device::memcpy_async_tx(slots, tile.a.from, cuda::aligned_size_t<16>(a_bytes), barrier);
  if (b_bytes > 0) cuda::device::memcpy_async_tx(to_b, tile.b.from, cuda::aligned_size_t<16>(b_bytes), barrier);
  return cuda::device::barrier_arrive_tx(barrier, 1, static_cast<std::ptrdiff_t>(a_bytes + b_bytes));
}

// Merges the tile in `slots` and stores it. The slots are free afterwards.
__device__ void merge_tile(const Tile& tile, std::int32_t* slots, std::int32_t* out) {
  const int a_first = tile.a.skip;  // slots of the first key of each share, and behind its last
  const int a_stop = a_first + tile.a.count;
  const int b_first = tile.a.slots() + tile.b.skip;
  const int b_stop = b_first + tile.b.count;
  const int first = min(static_cast<int>(threadIdx.x) * kItemsPerThread, tile.out_count);
  const int mine = min(kItemsPerThread, tile.out_count - first);
  const int from_a = co_rank(first, slots + a_first, tile.a.count, slots + b_first, tile.b.count);
  int i = a_first + from_a;            // a_first ... a_stop
  int j = b_first + (first - from_a);  // b_first ... b_stop
  std::int32_t of_a = slots[i];        // the heads of what is left of both
  std::int32_t of_b = slots[j];
  std::int32_t items[kItemsPerThread];
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v) {
    if (v < mine) {
      const bool takes_a = j == b_stop || (i < a_stop && of_a <= of_b);
      items[v] = takes_a ? of_a : of_b;
      i += takes_a ? 1 : 0;
      j += takes_a ? 0 : 1;
      const std::int32_t next = slots[takes_a ? i : j];  // one load for all lanes, whichever way they go
      of_a = takes_a ? next : of_a;
      of_b = takes_a ? of_b : next;
    }
  }
  __syncthreads();  // no thread still reads the shares: the merged tile takes their place
#pragma unroll
  for (int v = 0; v < kItemsPerThread; ++v)
    if (v < mine) slots[first + v] = items[v];
  __syncthreads();  // the merged tile is there

  const int vectors = tile.out_count / kVectorItems;
  for (int x = static_cast<int>(threadIdx.x); x < vectors; x += kThreadsPerBlock)
    reinterpret_cast<int4*>(out + tile.first)[x] = reinterpret_cast<const int4*>(slots)[x];
  const int last = vectors * kVectorItems + static_cast<int>(threadIdx.x);  // 0 to 3 keys are left over
  if (last < tile.out_count) out[tile.first + last] = slots[last];
  cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // a bulk copy may overwrite what was read and written here,
  __syncthreads();                                        // once all have come so far
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_kernel(const std::int32_t* a, std::size_t m, const std::int32_t* b, std::size_t n, std::int32_t* out) {
  __shared__ alignas(16) std::int32_t slots[2][kTileSlots];  // the tile that is merged, and the next one
  __shared__ alignas(BlockBarrier) unsigned char barrier_storage[2 * sizeof(BlockBarrier)];
  auto* barriers = reinterpret_cast<BlockBarrier*>(barrier_storage);
  if (threadIdx.x == 0) {
    init(&barriers[0], kThreadsPerBlock);
    init(&barriers[1], kThreadsPerBlock);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // bulk copies, which have a path of their own, see it too
  }
  __syncthreads();

  const std::size_t begin = std::size_t{blockIdx.x} * kTilesPerBlock * kTileItems;
  const std::size_t end = min(begin + std::size_t{kTilesPerBlock} * kTileItems, m + n);
  // A tile's borders are stored where its first outputs will go. They are read one tile before they are needed.
  const auto border = [=](std::size_t first, int slot) {
    const bool is_last = slot == 1 && first + kTileItems >= m + n;
    return is_last ? m : first < end ? static_cast<std::size_t>(out[first + slot]) : std::size_t{0};
  };
  Tile tile = tile_of(a, m, b, n, begin, border(begin, 0), border(begin, 1));
  BlockBarrier::arrival_token loaded = load(tile, slots[0], barriers[0]);
  std::size_t next_begin = border(begin + kTileItems, 0);
  std::size_t next_end = border(begin + kTileItems, 1);
  int buffer = 0;
  while (true) {
    const bool has_next = tile.first + kTileItems < end;  // the same for all threads
    Tile next = tile;
    BlockBarrier::arrival_token next_loaded;
    if (has_next) {
      next = tile_of(a, m, b, n, tile.first + kTileItems, next_begin, next_end);
      next_loaded = load(next, slots[1 - buffer], barriers[1 - buffer]);
      next_begin = border(next.first + kTileItems, 0);
      next_end = border(next.first + kTileItems, 1);
    }
    barriers[buffer].wait(std::move(loaded));  // all threads have asked, and all bytes have come
    merge_tile(tile, slots[buffer], out);
    if (!has_next) return;
    tile = next;
    loaded = std::move(next_loaded);
    buffer = 1 - buffer;
  }
}

}  // namespace

void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out) {
  if (m + n == 0) return;  // a grid of no blocks is an error
  const std::size_t tiles = (m + n + kTileItems - 1) / kTileItems;
  const std::size_t partition_blocks = (tiles + kThreadsPerBlock - 1) / kThreadsPerBlock;
  partition_kernel<<<static_cast<unsigned>(partition_blocks), kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
  CHECK(cudaGetLastError());
  const std::size_t blocks = (tiles + kTilesPerBlock - 1) / kTilesPerBlock;
  merge_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
  CHECK(cudaGetLastError());
}
