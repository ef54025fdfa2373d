// Lab sort: the same keys, in ascending order. This is the only file you edit. README.md is the handout, sort.cuh says
// exactly what each function must do.
//
//   make check LAB=sort            builds this file, runs it on many arrays, and says what is wrong and where
//
// The two tasks are graded apart. Start with radix_sort. Its part 1 can have every point of "correct" and "clean";
// parts 2 and 3 move less memory.
#include "sort.cuh"

#include <cstdio>

// Every CUDA function returns a status, and a status nobody looks at is a bug that shows up somewhere else. Wrap each
// call: CHECK(cudaMalloc(...)). On an error it says where and why, and leaves the function it stands in.
#define CHECK(call)                                                                                   \
  do {                                                                                                \
    const cudaError_t status = (call);                                                                \
    if (status != cudaSuccess) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status)); \
      return;                                                                                         \
    }                                                                                                 \
  } while (false)

// ---------------------------------------------------------------------------------------------------------------------
// Given: an exclusive scan of numbers in device memory, as you wrote it in the lab scan. numbers[i] becomes the sum of
// all numbers before it. (Yours may be faster: put it here if you like.)
constexpr int kScanThreads = 512;

// Every block scans its numbers; sums[block] is what they add up to.
__global__ void scan_blocks(std::uint32_t* numbers, std::uint32_t* sums, std::size_t count) {
  __shared__ std::uint32_t warp_sums[kScanThreads / 32];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const std::size_t i = std::size_t{blockIdx.x} * kScanThreads + threadIdx.x;
  const std::uint32_t number = i < count ? numbers[i] : 0;
  std::uint32_t through = number;
  for (int stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(0xFFFFFFFF, through, stride);
    if (lane >= stride) through += left;
  }
  if (lane == 31) warp_sums[warp] = through;
  __syncthreads();
  std::uint32_t before = 0;
  for (int w = 0; w < warp; ++w) before += warp_sums[w];
  if (i < count) numbers[i] = before + through - number;
  if (threadIdx.x == kScanThreads - 1) sums[blockIdx.x] = before + through;
}

__global__ void add_sums(std::uint32_t* numbers, const std::uint32_t* sums, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * kScanThreads + threadIdx.x;
  if (i < count) numbers[i] += sums[blockIdx.x];
}

void exclusive_scan(std::uint32_t* d_numbers, std::size_t count) {
  const std::size_t blocks = (count + kScanThreads - 1) / kScanThreads;
  std::uint32_t* d_sums = nullptr;
  CHECK(cudaMallocAsync(&d_sums, blocks * sizeof(std::uint32_t), nullptr));
  scan_blocks<<<static_cast<unsigned>(blocks), kScanThreads>>>(d_numbers, d_sums, count);
  CHECK(cudaGetLastError());
  if (blocks > 1) {
    exclusive_scan(d_sums, blocks);
    add_sums<<<static_cast<unsigned>(blocks), kScanThreads>>>(d_numbers, d_sums, count);
    CHECK(cudaGetLastError());
  }
  CHECK(cudaFreeAsync(d_sums, nullptr));
}

// ---------------------------------------------------------------------------------------------------------------------
// Task radix_sort. Part 1: one bit a pass. Keys whose bit is 0 go to the front, the others behind them, and each of the
// two groups keeps its order.
namespace radix {

constexpr int kThreadsPerBlock = 512;

// ones[i] = the bit of key i, for 0 <= i < n; and ones[n] = 0. Once that is scanned, ones[i] is the number of ones
// before key i, and ones[n] the number of all.
__global__ void write_bits(const std::uint32_t* keys, std::uint32_t* ones, std::size_t n, int bit) {
  // TODO 1  One thread for each of the n + 1 elements. (Make the first factor of the product a std::size_t.)
}

__global__ void scatter_by_bit(const std::uint32_t* keys, const std::uint32_t* ones, std::uint32_t* out, std::size_t n,
                               int bit) {
  // TODO 2  Where does key i go? If its bit is 0: behind all zeros before it, which are the keys before it that are
  //         not ones. If its bit is 1: behind all zeros of the array, and the ones before it.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2: tiles, and four bits a pass. Look at the handout's pictures first.
//
// TODO 1  count_digits: every block counts how many keys of its tile have which digit (0 ... 15), in shared memory, and
//         writes the counts to table[digit * blocks + block]. exclusive_scan of the whole table makes of each count the
//         place where the block's first key with that digit goes.
// TODO 2  scatter: the block puts its tile in order by the four bits, one bit after the other, in shared memory. In a
//         tile a bit can be scanned by votes: __ballot_sync tells the ones of a warp, __popc counts them.
// TODO 3  scatter: where does each digit begin in the sorted tile? Then every thread writes the key at its place in the
//         tile: to the table's place for the digit, plus how far into its group the key is.
//
// Part 3: eight bits a pass, 16 keys a thread, 256 threads a block.
//
// TODO 1  scatter: no splits. For each of its rows of 32 keys a warp finds out which lanes hold the same digit
//         (__match_any_sync), and counts on from its own counters in shared memory, one for each of the 256 digits.
// TODO 2  scatter: thread d adds up digit d over the warps; a scan over the digits tells where each group begins.
// TODO 3  both: a block takes several tiles, one after the other, and has one column of the table for all of them.

}  // namespace radix

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands this launches nothing and leaves d_out as it was.
  //
  // TODO 1  Without keys there is nothing to launch: a grid of no blocks is an error.
  // TODO 2  Scratch memory (cudaMalloc): n keys, since no pass can write over the keys that it still reads, and n + 1
  //         numbers for `ones`. d_in is not scratch memory.
  // TODO 3  For bit 0, 1, ... 31: launch radix::write_bits, call exclusive_scan, launch radix::scatter_by_bit; after
  //         each launch  CHECK(cudaGetLastError());  The first pass reads d_in, each later one what the one before it
  //         has written. Which of the two buffers must pass 0 write to for the last one to end in d_out?
  // TODO 4  Free the scratch memory.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task merge_sort. A block sorts a tile of keys in shared memory; then runs are merged in pairs, a launch a level.
//
// Write parts 1 and 2, check (arrays of one tile are then right), then part 3 (all others). Part 4 makes it fast.
namespace merging {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;                              // outputs of a merge that one thread makes
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;  // outputs of one block

// Part 1, from the lab merge. How many of the first k outputs come from A, equal keys of A before those of B?
template <class Index>
__device__ Index co_rank(Index k, const std::int32_t* a, Index m, const std::int32_t* b, Index n) {
  // TODO  As you wrote it for the lab merge.
  return 0;
}

// Makes outputs first ... first + kItemsPerThread - 1 of the merge of A (m keys) and B (n keys), or those of them that
// exist, and puts them into items[0], items[1], ...
template <class Index>
__device__ void merge_segment(const std::int32_t* a, Index m, const std::int32_t* b, Index n, Index first,
                              std::int32_t (&items)[kItemsPerThread]) {
  // TODO  Where in A, and so where in B, does the segment begin? Then a sequential merge. Unroll the loop (#pragma
  //       unroll), so that `items` can stay in registers, and test inside it whether output first + v exists.
}

// Part 2. Sorts every tile: the block's keys come into shared memory, and leave it as one sorted run.
__global__ void sort_tiles(const std::int32_t* in, std::int32_t* out, std::size_t n) {
  // TODO 1  __shared__ std::int32_t keys[kTileItems];  Load the tile, neighbouring threads neighbouring keys. How many
  //         keys has the last tile? Fill it up with a key that cannot do harm. Barrier.
  // TODO 2  Take eight neighbouring keys (8 t ... 8 t + 7) into an array of your own, and sort them: eight rounds, in
  //         which neighbours change places if they are out of order, in turns even pairs (0 1, 2 3, ...) and odd ones
  //         (1 2, 3 4, ...).
  // TODO 3  Runs of 8 become runs of 16, 32, ... until one run is the whole tile: store your items at their places.
  //         Barrier. Which pair of runs are your outputs a part of? Merge. (What has to happen before anybody may store
  //         the next items?)
  // TODO 4  Store the last items. Barrier. Copy to `out` as many keys as the tile had.
}

// Part 3. Merges runs of `run` keys in pairs; a block makes outputs kTileItems * blockIdx.x and those that follow.
__global__ void merge_level(const std::int32_t* in, std::int32_t* out, std::size_t n, std::size_t run) {
  // TODO 1  Where does the pair begin that the block's outputs belong to? How long is its first run, how long its
  //         second one? The last run of all may be shorter than `run`, or missing.
  // TODO 2  Every thread: merge_segment from global memory (m, n and first counted within the pair), then store.
  //
  // Part 4, when everything is right: the tile in shared memory, as in part 3 of the lab merge.
  //
  // TODO 3  Two threads of different warps search where the tile begins in A and where it ends. Barrier. Load A's share
  //         and B's behind it. Barrier. merge_segment there. Barrier. Items into shared memory. Barrier. Copy out.
}

}  // namespace merging

void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands this launches nothing and leaves d_out as it was.
  //
  // TODO 1  Without keys there is nothing to launch: a grid of no blocks is an error.
  // TODO 2  Launch merging::sort_tiles for all tiles, then  CHECK(cudaGetLastError());
  // TODO 3  A second buffer (cudaMalloc, at the end cudaFree) and a loop: a level for runs of kTileItems, of twice as
  //         many, and so on, as long as a run is shorter than n. Each level reads the buffer that the one before it has
  //         written. d_in must not be written. In which buffer must the tiles be for the last level to write to d_out?
}
