// Step 5 of merge_sorted: tile borders found beforehand, tiles fetched by bulk copies, outputs merged in registers.
// Idea      a first kernel finds the co-rank of every tile's first output. A block then knows which keys its tile is
//           made of, loads only these, and depends on no other tile: there are many blocks, some loading while others
//           merge. One thread requests the whole tile with two bulk copies, which take no registers and no loop.
// Gain      x 1.9 on an H200, 3.3 TB/s: a third of the shared memory per output, the searches of all tiles side by
//           side, and no conflicts where merged keys are stored. With 15 outputs per thread, an odd number, the lanes
//           of a warp write to 32 different banks.
// Traffic   8 bytes per output, and 28 probes for every 7680 outputs. Counters: bank conflicts of shared stores are
//           gone, warp instructions nearly halve. (Bulk copies are not load instructions and not counted as such.)
// Wastes    while a block merges, none of its loads is under way: it is left to other blocks to keep the memory busy.
//           (Loads from shared memory still conflict at random: the keys decide where lanes read.)
#include "merge.cuh"

#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kItemsPerThread = 15;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kVectorItems = 4;  // keys in 16 bytes: bulk copies begin and end at multiples of these
constexpr int kTileSlots = kTileItems + 3 * kVectorItems;  // two shares of whole vectors, and one vector behind each
static_assert(kItemsPerThread % 2 == 1, "an odd number of outputs a thread puts the lanes' stores into 32 banks");
static_assert(kTileItems % kVectorItems == 0, "every tile of the output begins at a multiple of 16 bytes");
static_assert(kThreadsPerBlock >= kVectorItems, "a thread each fetches the keys beside a bulk copy");
static_assert(kTileSlots * sizeof(std::int32_t) <= 47 * 1024, "a tile fits the 48 KiB of static shared memory");
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

// Loads both shares into shared memory, `a` to to_a and `b` to to_b; returns when all threads can read them.
__device__ void load(const Share& a, std::int32_t* to_a, const Share& b, std::int32_t* to_b, BlockBarrier& barrier) {
  const int thread = static_cast<int>(threadIdx.x);
  if (!a.is_inside && thread < kVectorItems) to_a[a.bulk() + thread] = a.beside(thread);
  if (!b.is_inside && thread < kVectorItems) to_b[b.bulk() + thread] = b.beside(thread);

  BlockBarrier::arrival_token token;
  if (thread == 0) {
    const std::size_t a_bytes = a.bulk() * sizeof(std::int32_t);
    const std::size_t b_bytes = b.bulk() * sizeof(std::int32_t);
    if (a_bytes > 0) cuda::device::memcpy_async_tx(to_a, a.from, cuda::aligned_size_t<16>(a_bytes), barrier);
    if (b_bytes > 0) cuda::device::memcpy_async_tx(to_b, b.from, cuda::aligned_size_t<16>(b_bytes), barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, static_cast<std::ptrdiff_t>(a_bytes + b_bytes));
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));  // all threads have arrived, and so have all bytes
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_kernel(const std::int32_t* a, std::size_t m, const std::int32_t* b, std::size_t n, std::int32_t* out) {
  __shared__ alignas(16) std::int32_t slots[kTileSlots];  // A's share and B's, then the merged tile
  __shared__ alignas(BlockBarrier) unsigned char barrier_storage[sizeof(BlockBarrier)];
  auto& barrier = *reinterpret_cast<BlockBarrier*>(barrier_storage);
  if (threadIdx.x == 0) {
    init(&barrier, kThreadsPerBlock);
    cuda::ptx::fence_proxy_async(cuda::ptx::space_shared);  // bulk copies, which have a path of their own, see it too
  }

  const std::size_t tile = std::size_t{blockIdx.x} * kTileItems;
  const int out_count = static_cast<int>(min(m + n - tile, std::size_t{kTileItems}));
  const std::size_t a_begin = out[tile];
  const std::size_t a_end = tile + kTileItems < m + n ? out[tile + 1] : m;
  const Share a_share(a, m, a_begin, static_cast<int>(a_end - a_begin));
  const Share b_share(b, n, tile - a_begin, out_count - a_share.count);
  __syncthreads();  // the barrier is ready, and everybody knows the tile's borders
  load(a_share, slots, b_share, slots + a_share.slots(), barrier);

  const int a_first = a_share.skip;  // slots of the first key of each share, and behind its last
  const int a_stop = a_first + a_share.count;
  const int b_first = a_share.slots() + b_share.skip;
  const int b_stop = b_first + b_share.count;
  const int first = min(static_cast<int>(threadIdx.x) * kItemsPerThread, out_count);
  const int mine = min(kItemsPerThread, out_count - first);
  const int from_a = co_rank(first, slots + a_first, a_share.count, slots + b_first, b_share.count);
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

  const int vectors = out_count / kVectorItems;
  for (int x = static_cast<int>(threadIdx.x); x < vectors; x += kThreadsPerBlock)
    reinterpret_cast<int4*>(out + tile)[x] = reinterpret_cast<const int4*>(slots)[x];
  const int last = vectors * kVectorItems + static_cast<int>(threadIdx.x);  // 0 to 3 keys are left over
  if (last < out_count) out[tile + last] = slots[last];
}

}  // namespace

void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out) {
  if (m + n == 0) return;  // a grid of no blocks is an error
  const std::size_t tiles = (m + n + kTileItems - 1) / kTileItems;
  const std::size_t partition_blocks = (tiles + kThreadsPerBlock - 1) / kThreadsPerBlock;
  partition_kernel<<<static_cast<unsigned>(partition_blocks), kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
  CHECK(cudaGetLastError());
  merge_kernel<<<static_cast<unsigned>(tiles), kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
  CHECK(cudaGetLastError());
}
