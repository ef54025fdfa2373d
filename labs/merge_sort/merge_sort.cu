// Lab merge_sort: put keys into ascending order by merging. This is the only file you edit. README.md is the handout;
// merge_sort.cuh specifies exactly what the function must do.
//
//   make check LAB=merge_sort      builds this file, runs it on many arrays, and reports what is wrong and where
//
// A block sorts a tile of keys in shared memory; then runs are merged in pairs, one launch per level. Write parts 1 and
// 2 and check (arrays of one tile are then right), then part 3 (all others). Part 4 makes it fast.
#include "merge_sort.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;                              // outputs of a merge that one thread makes
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;  // outputs of one block

// ---------------------------------------------------------------------------------------------------------------------
// Part 1, from the merge lab. How many of the first k outputs come from A, if equal keys of A go before those of B?
template <class Index>
__device__ Index co_rank(Index k, const std::int32_t* a, Index m, const std::int32_t* b, Index n) {
  // TODO  As you wrote it for the merge lab.
  return 0;
}

// Makes outputs first ... first + kItemsPerThread - 1 of the merge of A (m keys) and B (n keys), or as many of them as
// exist, and puts them into items[0], items[1], ...
template <class Index>
__device__ void merge_segment(const std::int32_t* a, Index m, const std::int32_t* b, Index n, Index first,
                              std::int32_t (&items)[kItemsPerThread]) {
  // TODO  Where in A, and hence where in B, does the segment begin? Then merge sequentially. Unroll the loop (#pragma
  //       unroll) so that `items` can stay in registers, and test inside the loop whether output first + v exists.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2. Sorts every tile: each block loads its keys into shared memory and stores them as one sorted run.
__global__ void sort_tiles(const std::int32_t* in, std::int32_t* out, std::size_t n) {
  // TODO 1  __shared__ std::int32_t keys[kTileItems];  Load the tile; neighbouring threads load neighbouring keys. How
  //         many keys does the last tile have? Pad it with a key that does no harm. Barrier.
  // TODO 2  Take eight neighbouring keys (8 t ... 8 t + 7) into an array of your own, and sort them: in each of eight
  //         rounds, neighbours that are out of order swap places. Alternate between even pairs (0 1, 2 3, ...) and odd
  //         pairs (1 2, 3 4, ...).
  // TODO 3  Runs of 8 become runs of 16, 32, ... until one run is the entire tile: store your items at their places.
  //         Barrier. Which pair of runs do your outputs belong to? Merge. (What has to happen before any thread may
  //         store its next items?)
  // TODO 4  Store the last items. Barrier. Copy as many keys to `out` as the tile had.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 3. Merges runs of `run` keys in pairs; a block makes the outputs from kTileItems * blockIdx.x on.
__global__ void merge_level(const std::int32_t* in, std::int32_t* out, std::size_t n, std::size_t run) {
  // TODO 1  Where does the pair that the block's outputs belong to begin? How long are its first and its second run?
  //         The last run of the array may be shorter than `run`, or missing.
  // TODO 2  Every thread: call merge_segment on global memory (m, n and first are relative to the pair), then store.
  //
  // Part 4, when everything is right: the tile in shared memory, as in part 3 of the merge lab.
  //
  // TODO 3  Two threads of different warps search for where the tile begins and ends in A. Barrier. Load A's share, and
  //         B's behind it. Barrier. merge_segment there. Barrier. Items into shared memory. Barrier. Copy out.
}

// ---------------------------------------------------------------------------------------------------------------------
void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO 1  If there are no keys, launch nothing: a grid without blocks is an error.
  // TODO 2  Launch sort_tiles for all tiles, then  CHECK(cudaGetLastError());
  // TODO 3  A second buffer (pool::Scratch of ../cuda_host.cuh) and a loop: one level for runs of kTileItems keys, one
  //         for runs of twice as many, and so on, while a run is shorter than n. Each level reads what the previous one
  //         wrote. d_in must not be written. Where must the tiles be for the last level to write to d_out?
}
