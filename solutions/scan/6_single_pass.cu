// Step 6 of inclusive_scan: one kernel, in which every block waits for its predecessor.
// Idea      a block keeps its tile in registers until its predecessor has published its prefix, the sum of all tiles up
//           to and including its own; it adds that, and publishes its own prefix. Blocks draw their tiles from a
//           counter, so that a block only ever waits for one that has started, and the first waits for none.
// Gain      8 bytes per element instead of 12: two thirds of the sectors, and the floor. In time a loss, 54.6 ms
//           instead of 0.776 ms for 2^28 elements on an H200: a hand-over, which is a write and a read through the L2
//           cache, takes 0.83 us per tile, in which memory moves the bytes of more than a hundred tiles.
// Traffic   8 bytes per element; what is published, some 24 bytes per tile, stays in the L2 cache.
// Wastes    all blocks but one wait: n / 4096 hand-overs, one after another.
#include "scan.cuh"

#include <cuda/atomic>

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 256;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr int kVectorItems = 4;
constexpr int kVectorsPerThread = 4;
constexpr int kWarpItems = kWarp * kVectorItems * kVectorsPerThread;  // neighbours that one warp scans
constexpr int kTileItems = kWarps * kWarpItems;
static_assert(kThreadsPerBlock % kWarp == 0 && kWarps <= kWarp, "one warp scans the sums of all warps of the block");
static_assert(sizeof(uint4) == kVectorItems * sizeof(std::uint32_t), "a vector is four numbers side by side");
static_assert(alignof(uint4) <= 256, "the contract aligns arrays to 256 bytes, so element 0 begins a whole vector");

constexpr unsigned kAllLanes = 0xFFFFFFFFu;

// What a thread holds. Vector v of a warp is spread over 32 lanes, four neighbours each, so that loads are dense.
struct Items {
  std::uint32_t x[kVectorsPerThread][kVectorItems];
};

// Where the thread's vector v begins in its tile.
__device__ int place(int v) {
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  return warp * kWarpItems + (v * kWarp + lane) * kVectorItems;
}

__device__ Items load(const std::uint32_t* in, std::size_t first, std::size_t n) {
  Items items;
  const bool is_full = first + kTileItems <= n;  // the same for the whole block
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    const std::size_t at = first + place(v);
    if (is_full) {
      const uint4 four = *reinterpret_cast<const uint4*>(in + at);
      items.x[v][0] = four.x, items.x[v][1] = four.y, items.x[v][2] = four.z, items.x[v][3] = four.w;
    } else {
#pragma unroll
      for (int k = 0; k < kVectorItems; ++k) items.x[v][k] = at + k < n ? in[at + k] : 0;
    }
  }
  return items;
}

__device__ void store(std::uint32_t* out, const Items& items, std::uint32_t before, std::size_t first, std::size_t n) {
  const bool is_full = first + kTileItems <= n;
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    const std::size_t at = first + place(v);
    const std::uint32_t* x = items.x[v];
    if (is_full) {
      *reinterpret_cast<uint4*>(out + at) = make_uint4(before + x[0], before + x[1], before + x[2], before + x[3]);
    } else {
#pragma unroll
      for (int k = 0; k < kVectorItems; ++k)
        if (at + k < n) out[at + k] = before + x[k];
    }
  }
}

// Inclusive scan over the lanes of a warp: Kogge-Stone, with registers instead of shared memory. A shuffle reads what
// the other lane held when both reached it: no barrier is needed.
__device__ std::uint32_t scan_lanes(std::uint32_t x) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
  for (int stride = 1; stride < kWarp; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane >= stride) x += left;
  }
  return x;
}

// Scans the items of a warp. Returns their sum, in every lane.
__device__ std::uint32_t scan_warp(Items& items) {
  std::uint32_t sum = 0;  // of the vectors before
#pragma unroll
  for (int v = 0; v < kVectorsPerThread; ++v) {
    std::uint32_t* x = items.x[v];
    x[1] += x[0], x[2] += x[1], x[3] += x[2];
    const std::uint32_t through = scan_lanes(x[3]);  // up to and including this lane
    const std::uint32_t before = sum + through - x[3];
    sum += __shfl_sync(kAllLanes, through, kWarp - 1);
    x[0] += before, x[1] += before, x[2] += before, x[3] += before;
  }
  return sum;
}

// What a thread needs to know about the other warps of its block.
struct WarpSums {
  std::uint32_t before;  // of the warps before this one
  std::uint32_t all;     // of the whole block
};

__device__ WarpSums scan_warp_sums(std::uint32_t sum) {
  __shared__ std::uint32_t sums[kWarps];
  const int warp = static_cast<int>(threadIdx.x) / kWarp, lane = static_cast<int>(threadIdx.x) % kWarp;
  if (lane == 0) sums[warp] = sum;
  __syncthreads();  // the only barrier: every warp scans all the sums for itself
  const std::uint32_t through = scan_lanes(lane < kWarps ? sums[lane] : 0);
  const std::uint32_t before = __shfl_sync(kAllLanes, through, max(warp - 1, 0));
  return {warp > 0 ? before : 0, __shfl_sync(kAllLanes, through, kWarps - 1)};
}

// What blocks publish for one another. All of it is 0 before the kernel begins.
struct Chain {
  std::uint32_t* next_tile;  // which tile the next block takes
  std::uint32_t* is_known;   // [tiles] 1 once prefixes[tile] may be read
  std::uint32_t* prefixes;   // [tiles] sum of all tiles up to and including this one
};

// Atomic access to a word that one block writes and another one reads.
using Flag = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device>;

// Called by one thread of the block: waits for the sum of the tiles before, and publishes the sum including this tile.
__device__ std::uint32_t hand_over(const Chain& chain, std::size_t tile, std::uint32_t sum) {
  std::uint32_t before = 0;
  if (tile > 0) {
    while (Flag(chain.is_known[tile - 1]).load(cuda::memory_order_acquire) == 0) {
    }
    before = chain.prefixes[tile - 1];  // acquire: not read before the flag
  }
  chain.prefixes[tile] = before + sum;
  Flag(chain.is_known[tile]).store(1, cuda::memory_order_release);  // a thread that sees the flag sees the prefix
  return before;
}

__global__ void scan_tiles(const std::uint32_t* in, std::uint32_t* out, Chain chain, std::size_t n) {
  __shared__ std::uint32_t tile;
  __shared__ std::uint32_t tiles_before;  // what the tiles before add up to
  if (threadIdx.x == 0) tile = atomicAdd(chain.next_tile, 1);
  __syncthreads();
  const std::size_t first = std::size_t{tile} * kTileItems;
  Items items = load(in, first, n);
  const WarpSums warps = scan_warp_sums(scan_warp(items));
  if (threadIdx.x == 0) tiles_before = hand_over(chain, tile, warps.all);
  __syncthreads();
  store(out, items, tiles_before + warps.before, first, n);
}

void scan(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  const std::size_t tiles = (n + kTileItems - 1) / kTileItems;
  pool::Scratch<std::uint32_t> d_chain;
  CHECK(d_chain.allocate(1 + 2 * tiles));
  CHECK(cudaMemsetAsync(d_chain.get(), 0, (1 + 2 * tiles) * sizeof(std::uint32_t)));
  const Chain chain{d_chain.get(), d_chain.get() + 1, d_chain.get() + 1 + tiles};
  scan_tiles<<<static_cast<unsigned>(tiles), kThreadsPerBlock>>>(d_in, d_out, chain, n);
  CHECK(cudaGetLastError());
}

}  // namespace

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  CHECK(pool::keep_freed_memory());
  // As unsigned numbers: their sums wrap around, whereas signed overflow is undefined.
  scan(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out), n);
}
