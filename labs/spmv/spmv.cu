// Lab spmv: a sparse matrix times a vector, y = A x. This is the only file you edit. README.md is the handout; spmv.cuh
// specifies exactly what the function must do.
//
//   make check LAB=spmv            builds this file, runs it on many matrices, and reports what is wrong and where
//
// Write part 1 first and check it: it can earn full marks for "correct" and "clean". Parts 2, 3 and 4 are other ways to
// divide the same work. Each needs different launches in spmv_csr, and each can be checked by itself.
#include "spmv.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 7;                              // steps of the merge path that one thread takes
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;  // steps that one block takes

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: a thread for every row.
__global__ void rows_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                            const float* x, float* y, int rows) {
  // TODO 1  Which row is this thread's? If there is no such row, there is nothing to do.
  // TODO 2  Walk along the row's entries and add up their products. Keep the sum in a local variable.
  // TODO 3  Store the sum, even if there was no entry.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2: kLanes lanes (32, or 16, 8, 4, 2) for every row.
template <int kLanes>
__global__ void lanes_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                             const float* x, float* y, int rows) {
  // TODO 1  Which row is this thread's, and which of the row's lanes is it? Treat a thread without a row as if its row
  //         were empty: let it go on, with a sum of 0, to the shuffles below, whose mask names all lanes of the warp.
  // TODO 2  Walk along the row in steps of kLanes, beginning at the lane's own number.
  // TODO 3  Add up the lanes' sums: __shfl_down_sync over distances kLanes / 2, ..., 2, 1. Its fourth argument is
  //         kLanes.
  // TODO 4  The first lane of each row stores the sum.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 3: an equal share of the merge path for every thread.
//
// How many of the path's first k steps are row ends? (The others are entries.) This is a template because you will need
// it for positions in memory (std::int64_t) and, in part 4, for positions in a tile (int).
template <class Index>
__device__ Index rows_before(Index k, const std::int32_t* row_ends, Index rows, Index entries) {
  // TODO 1  co_rank of the merge lab, with row ends in place of A. Element j of B is j itself.
  return 0;
}

__global__ void path_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                            const float* x, float* y, int rows, int nnz) {
  // TODO 2  Where on the path does this thread begin, and hence at which row end i and at which entry j? Is that the
  //         row's first entry, or has another thread summed a part of the row?
  // TODO 3  Take kItemsPerThread steps, fewer at the end of the path. An entry before its row's end: add its product.
  //         Otherwise the row ends: write out the sum, and go on with the next row.
  //         If this thread has seen the row from its first entry to its end, store the sum. If not, the sum is only a
  //         part: add it to y with atomicAdd. So y must be 0 to begin with.
  // TODO 4  After the last step, a part of a row may be left: add it, too. But if no entry of that row was taken, leave
  //         y alone: the row may be another thread's to store, or not exist.
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 4: a tile of the merge path for every block, in shared memory.
//
// borders[t] is the number of row ends before tile t, for t = 0 ... tiles.
__global__ void borders_kernel(const std::int32_t* row_offsets, int rows, int nnz, int tiles, std::int32_t* borders) {
  // TODO 1  One thread per border, so tiles + 1 threads: the search of part 3. The last border is the end of the path,
  //         which may come before step tiles * kTileItems.
}

__global__ void tiles_kernel(const std::int32_t* row_offsets, const std::int32_t* columns, const float* values,
                             const float* x, float* y, int rows, int nnz, const std::int32_t* borders, float* carries) {
  // TODO 2  Which row ends and which entries belong to the tile? Load the row ends, counted from the tile's first
  //         entry, and the products of the entries into shared memory: neighbouring threads load neighbouring elements.
  //         Barrier.
  // TODO 3  Every thread does the same there as in part 3, with two changes. The first row that it ends may have begun
  //         earlier: keep its row number and its sum. And the sum left after the last step is the thread's carry.
  // TODO 4  What do the threads before this one carry over to it? Add up their carries, back to and including the last
  //         one that ended a row. Store the sum of the first row with this total added.
  // TODO 5  The block's own carry goes into carries[blockIdx.x].
}

__global__ void carries_kernel(const std::int32_t* borders, const float* carries, int tiles, int rows, float* y) {
  // TODO 6  One thread per tile: add the tile's carry to the row that continues after the tile, if there is one.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task spmv_csr: launch the kernel, or the kernels, of one part.
void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_y as it was.
  //
  // TODO 1  Without rows there is nothing to launch: a grid without blocks is an error.
  // TODO 2  How many blocks? Round up. (Count in std::int64_t: rows times 32, and rows plus nnz, may not fit an int.)
  // TODO 3  Launch, and then  CHECK(cudaGetLastError());  after every kernel. Part 2: a template argument is a
  //         constant, so an if selects one of five launches. Part 3: clear d_y first. Part 4: first allocate borders
  //         (tiles + 1 numbers) and carries (one per tile), and free both after the last launch.
}
