// Step 8 of inclusive_scan: one block per multiprocessor, whose warps share the work by kind instead of by tile.
// Idea      in step 7 all warps of a block load, then all wait for the prefix, then all store. Here a warp does one of
//           these only, for one tile after another, and hands the tile on: one warp loads (bulk copies into a ring of
//           six tiles in shared memory), two sum, one finds prefixes, eight scan and store. A tile that waits for its
//           prefix keeps nobody from loading and, above all, from summing the next ones: sums are published early.
//           Tiles are dealt out in rounds, one to each block. So the prefix of a block's tile is that of its tile in
//           the round before, plus the 131 sums of the tiles between: one warp reads them at once. Nothing is looked
//           back at repeatedly, and no block waits for another block's prefix.
// Leap      blocks whose warps do everything and blocks whose warps each do one thing have no version in between. Only
//           the scan of a part of a tile is as before.
// Gain      x 1.35 over step 7 on an H200 (2^28 elements): 0.543 ms, 3.96 TB/s, where a copy reaches 4.3 and the
//           library 3.0. Each multiprocessor has room for six tiles of 32 KiB that are loaded, wait or are scanned.
// Traffic   8 bytes per element. Sums are published in a table of 16 rounds, which the L2 cache always holds: there is
//           no scratch memory to allocate or to clear. Needs bulk copies (sm_90) and 193 KiB of shared memory.
// Wastes    equal shares: all wait for the slowest multiprocessor. With tickets, it takes 0.522 ms. And short arrays:
//           up to 2^20 elements, a block has a single tile, and its warps work one after another again.
#include "scan.cuh"

#include <algorithm>
#include <cuda/atomic>
#include <cuda/ptx>

namespace {

namespace ptx = cuda::ptx;

constexpr unsigned kWarp = 32;
constexpr unsigned kVectorItems = 4;
constexpr unsigned kVectorsPerThread = 8;
constexpr unsigned kWarpItems = kWarp * kVectorItems * kVectorsPerThread;  // neighbours that one warp scans
constexpr unsigned kScanWarps = 8;
constexpr unsigned kSumWarps = 2;
constexpr unsigned kWarps = 1 + kSumWarps + 1 + kScanWarps;
constexpr unsigned kTileItems = kScanWarps * kWarpItems;
constexpr unsigned kSlots = 6;
static_assert(kScanWarps <= kWarp, "one warp handles the sums of all parts of a tile");
static_assert(kSlots % kSumWarps == 0,
              "a slot is always summed by the same warp, so that wait() is never a phase early");
static_assert(alignof(uint4) <= 256, "the contract aligns arrays to 256 bytes, so element 0 begins a whole vector");

constexpr unsigned kAllLanes = 0xFFFFFFFFu;

__device__ unsigned lane() { return threadIdx.x % kWarp; }

// --- between blocks ---

// What is published of a tile: its round in the upper half of the word, its sum in the lower. Both change in one atomic
// write of 64 bits. A reader needs nothing but this word: relaxed accesses are enough.
using State = unsigned long long;
using StateWord = cuda::atomic_ref<State, cuda::thread_scope_device>;

// By round and block. Rounds are numbered on from call to call, so what an earlier call left here is never mistaken for
// a sum of this one, and the table need not be cleared. A block has read a round's sums before any other block writes
// the round 2 * kSlots + 2 later: within a block, a tile is summed at most kSlots tiles before it is known, and between
// two blocks there may be that much again.
constexpr unsigned kRounds = 16;
constexpr unsigned kMostBlocks = 256;
static_assert(kRounds >= 2 * kSlots + 2, "no sum is overwritten that a block still needs");
__device__ State published[kRounds][kMostBlocks];

__device__ void publish(std::uint32_t round, std::uint32_t sum) {
  StateWord(published[round % kRounds][blockIdx.x]).store(State{round} << 32 | sum, cuda::memory_order_relaxed);
}

// One block's sum of one round.
struct Entry {
  std::uint32_t round;
  State* place;
  __device__ State load() const { return StateWord(*place).load(cuda::memory_order_relaxed); }
  __device__ bool holds(State state) const { return state >> 32 == round; }  // otherwise it is yet to be published
};

// The sum of the tiles between this block's last tile and its tile in `round`: those of higher blocks in the round
// before, and those of lower blocks in this round. Called by one whole warp.
__device__ std::uint32_t sum_between(std::uint32_t round, bool is_first_round) {
  constexpr unsigned kAtOnce = 5;  // loads that a lane has under way: five times 32 are enough for 132 blocks
  const auto entry = [=](unsigned i) -> Entry {  // of both rounds, one after the other
    const bool is_before = i < gridDim.x;
    const std::uint32_t its_round = is_before ? round - 1 : round;
    return {its_round, &published[its_round % kRounds][is_before ? i : i - gridDim.x]};
  };
  std::uint32_t sum = 0;
  const unsigned end = gridDim.x + blockIdx.x;
  for (unsigned i = (is_first_round ? gridDim.x : blockIdx.x + 1) + lane(); i < end; i += kAtOnce * kWarp) {
    State states[kAtOnce];
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k)
      if (i + k * kWarp < end) states[k] = entry(i + k * kWarp).load();
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) {
      if (i + k * kWarp < end) {
        while (!entry(i + k * kWarp).holds(states[k])) states[k] = entry(i + k * kWarp).load();
        sum += static_cast<std::uint32_t>(states[k]);
      }
    }
  }
  __syncwarp();
  return __reduce_add_sync(kAllLanes, sum);
}

// --- between the warps of a block ---

using Barrier = std::uint64_t;  // an mbarrier: counts arrivals of threads, and bytes of bulk copies

struct Shared {
  Barrier loaded[kSlots];  // what has been done with the tile in a slot, in this order
  Barrier summed[kSlots];
  Barrier placed[kSlots];                    // the sum of everything before is known
  Barrier copied[kSlots];                    // the tile is in registers: the slot is free
  std::uint32_t sum[kSlots];                 // of the tile
  std::uint32_t before[kSlots][kScanWarps];  // sum before each warp's part: in the tile; once placed, of all elements
  alignas(128) std::uint32_t slots[kSlots][kTileItems];  // last: a block that has fewer tiles has fewer slots
};

// The tiles of this block: turn 0, 1, ... Slots are used in turn.
struct Turn {
  std::uint32_t number = 0;
  std::uint32_t tile = blockIdx.x;
  __device__ void operator+=(unsigned turns) { number += turns, tile += turns * gridDim.x; }
  __device__ unsigned slot() const { return number % kSlots; }
  __device__ unsigned phase() const { return number / kSlots % 2; }  // of the slot's barriers
};

// Waits for the end of a phase. The answer is right only if the barrier is in this phase or in the next.
__device__ void wait(Barrier& barrier, unsigned phase) {
  while (!ptx::mbarrier_try_wait_parity(&barrier, phase)) {
  }
}

// The whole warp has done its part: each lane arrives for what it has read and written itself.
__device__ void arrive(Barrier& barrier) { ptx::mbarrier_arrive(&barrier); }

// Loads tiles as slots become free. Behind the last element, zeros fill the tile.
__device__ void load_tiles(Shared& shared, const std::uint32_t* in, std::size_t n, std::uint32_t tiles) {
  for (Turn turn; turn.tile < tiles; turn += 1) {
    if (turn.number >= kSlots) wait(shared.copied[turn.slot()], 1 - turn.phase());  // the turn that had the slot before
    std::uint32_t* const slot = shared.slots[turn.slot()];
    const std::size_t first = std::size_t{turn.tile} * kTileItems;
    const auto count = static_cast<unsigned>(min(n - first, std::size_t{kTileItems}));
    const unsigned bulk = count / kVectorItems * kVectorItems;  // bulk copies move whole vectors
    if (count < kTileItems) {
      const unsigned rest = bulk + lane();
      if (lane() < kVectorItems) slot[rest] = rest < count ? in[first + rest] : 0;
      for (unsigned i = bulk + (lane() + 1) * kVectorItems; i < kTileItems; i += kWarp * kVectorItems)
        *reinterpret_cast<uint4*>(slot + i) = make_uint4(0, 0, 0, 0);
    }
    if (lane() != 0) {
      arrive(shared.loaded[turn.slot()]);
    } else {
      Barrier* const loaded = &shared.loaded[turn.slot()];
      const auto bytes = static_cast<std::uint32_t>(bulk * sizeof(std::uint32_t));
      ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, loaded, bytes);
      if (bytes > 0) ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, slot, in + first, bytes, loaded);
    }
  }
}

// The lane's first vector of a scanning warp's part of a tile. The others follow at distances of a warp's width, so
// that accesses are dense.
__device__ const uint4* part_of(const Shared& shared, unsigned slot, unsigned warp) {
  return reinterpret_cast<const uint4*>(shared.slots[slot] + warp * kWarpItems) + lane();
}

// Inclusive scan over the lanes of a warp.
__device__ std::uint32_t scan_lanes(std::uint32_t x) {
#pragma unroll
  for (unsigned stride = 1; stride < kWarp; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane() >= stride) x += left;
  }
  return x;
}

// Sums every kSumWarps-th tile as soon as it is there, and tells the other blocks. Waits for none of them.
__device__ void sum_tiles(Shared& shared, std::uint32_t tiles, std::uint32_t first_round, unsigned first_turn) {
  Turn turn;
  for (turn += first_turn; turn.tile < tiles; turn += kSumWarps) {
    wait(shared.loaded[turn.slot()], turn.phase());
    std::uint32_t mine = 0;  // the sum of the part of the scanning warp whose number is this lane's
#pragma unroll 4
    for (unsigned warp = 0; warp < kScanWarps; ++warp) {
      const uint4* const part = part_of(shared, turn.slot(), warp);
      std::uint32_t sum = 0;
#pragma unroll
      for (unsigned v = 0; v < kVectorsPerThread; ++v) {
        const uint4 four = part[v * kWarp];
        sum += (four.x + four.y) + (four.z + four.w);
      }
      sum = __reduce_add_sync(kAllLanes, sum);
      if (lane() == warp) mine = sum;
    }
    const std::uint32_t through = scan_lanes(mine);
    if (lane() == kWarp - 1) {
      publish(first_round + turn.number, through);
      shared.sum[turn.slot()] = through;
    }
    if (lane() < kScanWarps) shared.before[turn.slot()][lane()] = through - mine;
    arrive(shared.summed[turn.slot()]);
  }
}

// Finds what comes before each tile. The only warp that waits for other blocks.
__device__ void place_tiles(Shared& shared, std::uint32_t tiles, std::uint32_t first_round) {
  std::uint32_t before = 0;  // the sum of all tiles up to this block's last one
  for (Turn turn; turn.tile < tiles; turn += 1) {
    wait(shared.summed[turn.slot()], turn.phase());
    before += sum_between(first_round + turn.number, turn.number == 0);
    if (lane() < kScanWarps) shared.before[turn.slot()][lane()] += before;
    before += shared.sum[turn.slot()];
    arrive(shared.placed[turn.slot()]);
  }
}

// Scans and stores one warp's part of every tile, as in step 7.
__device__ void scan_tiles(Shared& shared, std::uint32_t* out, std::size_t n, std::uint32_t tiles, unsigned warp) {
  for (Turn turn; turn.tile < tiles; turn += 1) {
    wait(shared.placed[turn.slot()], turn.phase());
    std::uint32_t before = shared.before[turn.slot()][warp];
    uint4 x[kVectorsPerThread];
#pragma unroll
    for (unsigned v = 0; v < kVectorsPerThread; ++v) x[v] = part_of(shared, turn.slot(), warp)[v * kWarp];
    arrive(shared.copied[turn.slot()]);

    const std::size_t first = std::size_t{turn.tile} * kTileItems + warp * kWarpItems;
    const bool is_full = first + kWarpItems <= n;  // the same for the whole warp
#pragma unroll
    for (unsigned v = 0; v < kVectorsPerThread; ++v) {
      x[v].y += x[v].x, x[v].z += x[v].y, x[v].w += x[v].z;
      const std::uint32_t through = scan_lanes(x[v].w);
      const std::uint32_t left = before + through - x[v].w;  // everything left of the lane's vector
      before += __shfl_sync(kAllLanes, through, kWarp - 1);
      const uint4 sums = make_uint4(left + x[v].x, left + x[v].y, left + x[v].z, left + x[v].w);
      const std::size_t at = first + (v * kWarp + lane()) * kVectorItems;
      if (is_full) {
        *reinterpret_cast<uint4*>(out + at) = sums;
      } else {
        if (at < n) out[at] = sums.x;
        if (at + 1 < n) out[at + 1] = sums.y;
        if (at + 2 < n) out[at + 2] = sums.z;
        if (at + 3 < n) out[at + 3] = sums.w;
      }
    }
  }
}

__global__ void __launch_bounds__(kWarps* kWarp) scan_kernel(const std::uint32_t* in, std::uint32_t* out, std::size_t n,
                                                             std::uint32_t tiles, std::uint32_t first_round) {
  extern __shared__ __align__(128) unsigned char memory[];
  Shared& shared = *reinterpret_cast<Shared*>(memory);
  if (threadIdx.x < kSlots) {
    ptx::mbarrier_init(&shared.loaded[threadIdx.x], unsigned{kWarp});
    ptx::mbarrier_init(&shared.summed[threadIdx.x], unsigned{kWarp});
    ptx::mbarrier_init(&shared.placed[threadIdx.x], unsigned{kWarp});
    ptx::mbarrier_init(&shared.copied[threadIdx.x], unsigned{kScanWarps * kWarp});
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);  // bulk copies, too, are to see that
  }
  __syncthreads();  // the last time that all warps meet
  const unsigned warp = threadIdx.x / kWarp;
  if (warp < kScanWarps)
    scan_tiles(shared, out, n, tiles, warp);
  else if (warp < kScanWarps + kSumWarps)
    sum_tiles(shared, tiles, first_round, warp - kScanWarps);
  else if (warp == kScanWarps + kSumWarps)
    place_tiles(shared, tiles, first_round);
  else
    load_tiles(shared, in, n, tiles);
}

void scan(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  int device = 0, multiprocessors = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaFuncSetAttribute(scan_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)));
  auto tiles = static_cast<std::uint32_t>((n + kTileItems - 1) / kTileItems);
  const unsigned blocks = std::min({tiles, static_cast<unsigned>(multiprocessors), kMostBlocks});
  const std::uint32_t rounds = (tiles + blocks - 1) / blocks;
  const std::size_t unused = kSlots - std::min(rounds, kSlots);

  static std::uint32_t next_round = 1;  // of all calls; the table holds zeros at first
  std::uint32_t first_round = next_round;
  next_round += rounds;
  // A cooperative launch, because blocks wait for blocks in both directions: all must run at the same time.
  void* arguments[] = {&d_in, &d_out, &n, &tiles, &first_round};
  CHECK(cudaLaunchCooperativeKernel(scan_kernel, dim3(blocks), dim3(kWarps * kWarp), arguments,
                                    sizeof(Shared) - unused * sizeof(Shared::slots[0])));
}

}  // namespace

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  // As unsigned numbers: their sums wrap around, whereas signed overflow is undefined.
  scan(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out), n);
}
