// Lab sort: the same keys, in ascending order. This is the only file you edit. README.md is the handout, sort.cuh says
// exactly what each function must do.
//
//   make check LAB=sort            builds this file, runs it on many arrays, and says what is wrong and where
//
// The two tasks are graded apart.
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
// Task radix_sort.
void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands this launches nothing and leaves d_out as it was.
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
  //         which neighbours change places if they are out of order, even pairs (0 1, 2 3, ...) and odd pairs (1 2, 3
  //         4,
  //         ...) in turns.
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
