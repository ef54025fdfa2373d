// Lab merge: two sorted arrays become one. This is the only file you edit. README.md is the handout, merge.cuh says
// exactly what the function must do.
//
//   make check LAB=merge           builds this file, runs it on many arrays, and says what is wrong and where
//
// Write part 1 first and check it: it can have every point of "correct" and "clean". Parts 2 and 3 make it fast.
#include "merge.cuh"

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

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;                              // outputs that one thread makes
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;  // outputs that one block makes

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: the search. How many of the first k outputs come from A, equal keys of A before those of B? (The other k
// minus that many come from B.) A template, because you will want it for positions in memory (std::size_t) and, in part
// 3, for positions in a tile (int).
template <class Index>
__device__ Index co_rank(Index k, const std::int32_t* a, Index m, const std::int32_t* b, Index n) {
  // TODO 1  The least and the greatest number that is possible at all: not more than k, not more than A has; and not so
  //         few that B would have to give more than it has. (An Index may be unsigned: k - n must not go below 0.)
  // TODO 2  Halve the range until one number is left. Guess i in the middle. Is i too small? The keys to compare are
  //         a[i], the first one left out of A, and b[k - 1 - i], the last one taken from B.
  return 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2: every thread makes kItemsPerThread neighbouring outputs.
__global__ void merge_kernel(const std::int32_t* a, std::size_t m, const std::int32_t* b, std::size_t n,
                             std::int32_t* out) {
  // TODO 1  Which outputs are this thread's? From `first` to `end`, where the last thread's share ends with the array.
  //         Threads without outputs have nothing to do. (Make the first factor of the product a std::size_t.)
  // TODO 2  Where in A, and so where in B, does the share begin? Part 1 tells.
  // TODO 3  Merge: for each output take the smaller of two keys, A's if they are equal. Mind that A may be used up, or
  //         B: there is then no key to compare with.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task merge_sorted: launch the kernel over all outputs.
void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out) {
  // Not implemented yet: as it stands this launches nothing and leaves d_out as it was.
  //
  // TODO 1  Without outputs there is nothing to launch: a grid of no blocks is an error.
  // TODO 2  How many blocks cover m + n outputs, kTileItems each? Round up.
  // TODO 3  Launch, then  CHECK(cudaGetLastError());
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 3, when all of the above is right: let all traffic with global memory be dense. In the kernel,
//
// TODO 1  Two threads search the beginning and the end of the block's share in A, and leave them in shared memory.
//         Barrier (__syncthreads). Now every thread knows which keys of A and of B the tile is made of: kTileItems
//         together, or fewer in the last tile.
// TODO 2  Load them into shared memory, neighbouring threads neighbouring keys. Barrier.
// TODO 3  Every thread does there what it did in part 2: search, then merge. It keeps its outputs in an array of
//         kItemsPerThread variables, since the tile is still being read. Barrier.
// TODO 4  Write them into shared memory, where the keys were. Barrier. Copy the merged tile to out.
