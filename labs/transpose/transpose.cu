// Lab transpose: rows become columns. This is the only file you edit. README.md is the handout; transpose.cuh specifies
// exactly what the function must do.
//
//   make check LAB=transpose       builds this file, runs it on many matrices, and reports what is wrong and where
//
// Write part 1 first and check it: it can earn full marks for "correct" and "clean". Parts 2 to 4 make it fast.
#include "transpose.cuh"

constexpr int kTile = 32;       // extent of a tile
constexpr int kBlockRows = 32;  // a block has kTile x kBlockRows threads; part 4 makes it 8

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: one thread for each element. threadIdx.x runs along a row of the input.
__global__ void transpose_kernel(const float* in, float* out, int rows, int cols) {
  // TODO 1  Which element of the input is this thread's? Its column comes from x, its row from y.
  // TODO 2  If it exists, store it at its place in the output. Make the first factor of each product a std::size_t:
  //         a matrix may have more than 2^31 elements.
}

// ---------------------------------------------------------------------------------------------------------------------
// Task transpose: launch the kernel over all elements.
void transpose(const float* d_in, float* d_out, int rows, int cols) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO 1  Without elements there is nothing to launch: an empty grid is an error.
  // TODO 2  How many tiles are there across (x), and how many down (y)? Round up.
  // TODO 3  Launch, then  CHECK(cudaGetLastError());
}

// ---------------------------------------------------------------------------------------------------------------------
// When that is right, rewrite the kernel:
//
// Part 2: a tile in shared memory.
// TODO 1  Each thread puts its element into  __shared__ float tile[kTile][kTile];  if there is one. No early return:
//         a thread that has nothing to load may have something to store. Barrier (__syncthreads).
// TODO 2  The tile goes to the mirrored place: blockIdx.x now says which rows of the output, blockIdx.y which columns.
//         threadIdx.x still runs along a row, now of the output. So the tile is read along a column. Test again whether
//         the place exists: it is another place, and the extents have changed roles.
//
// Part 3: make the banks of shared memory serve a column as fast as a row.
//
// Part 4: set kBlockRows to 8. Each thread loads several elements of its column of the tile, kBlockRows rows apart, and
//         stores as many.
