// Lab merge: two sorted arrays become one. This is the only file you edit. README.md is the handout; merge.cuh
// specifies exactly what the function must do.
//
//   make check LAB=merge           builds this file, runs it on many arrays, and reports what is wrong and where
//
// Write parts 1 and 2 first and check them: together they can earn full marks for "correct" and "clean". Part 3 makes
// the program fast.
#include "merge.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;                              // outputs that one thread makes
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;  // outputs that one block makes

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: the search. How many of the first k outputs come from A, if equal keys of A go before those of B? (The others
// come from B.) This is a template because you will need it for positions in memory (std::size_t) and, in part 3, for
// positions in a tile (int).
template <class Index>
__device__ Index co_rank(Index k, const std::int32_t* a, Index m, const std::int32_t* b, Index n) {
  // TODO 1  The least and the greatest number that are possible: not more than k, not more than A has; and not so few
  //         that B would have to supply more than it has. (An Index may be unsigned: k - n must not go below 0.)
  // TODO 2  Halve the range until one number is left. Guess the number i in the middle. Is it too small? The keys to
  //         compare are a[i], the first one left out of A, and b[k - 1 - i], the last one taken from B.
  return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2: every thread makes kItemsPerThread neighbouring outputs.
__global__ void merge_kernel(const std::int32_t* a, std::size_t m, const std::int32_t* b, std::size_t n,
                             std::int32_t* out) {
  // TODO 1  Which outputs are this thread's? From `first` to `end`; the last thread's share ends with the array.
  //         Threads without outputs have nothing to do. (Make the first factor of the product a std::size_t.)
  // TODO 2  Where in A, and hence where in B, does the share begin? Part 1 finds it.
  // TODO 3  Merge: for each output, take the smaller of two keys, or A's if they are equal. Remember that A or B may be
  //         used up: then there is no key to compare with.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task merge_sorted: launch the kernel over all outputs.
void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO 1  Without outputs there is nothing to launch: an empty grid is an error.
  // TODO 2  How many blocks cover m + n outputs, kTileItems each? Round up.
  // TODO 3  Launch, then  CHECK(cudaGetLastError());
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 3, when all of the above is right: make all accesses to global memory dense. In the kernel,
//
// TODO 1  Two threads search for the beginning and the end of the block's share in A, and store them in shared memory.
//         Barrier (__syncthreads). Now every thread knows which keys of A and of B the tile is made from: kTileItems
//         in total, or fewer in the last tile.
// TODO 2  Load these keys into shared memory: neighbouring threads load neighbouring keys. Barrier.
// TODO 3  Every thread does there what it did in part 2: search, then merge. It keeps its outputs in an array of
//         kItemsPerThread elements, since the tile is still being read. Barrier.
// TODO 4  Write them into shared memory, where the keys were. Barrier. Copy the merged tile to out.
