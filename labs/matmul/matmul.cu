// Lab matmul: multiply two matrices on the GPU. This is the only file you edit. README.md is the handout; matmul.cuh
// specifies exactly what the function must do.
//
//   make check LAB=matmul          builds this file, runs it on many shapes, and reports what is wrong and where
//
// There are two stages. Stage 1 is a kernel that reads everything from global memory: get it right first. Stage 2 is
// the same kernel with tiles in shared memory, which is what the lab is about. Keep stage 1 until stage 2 is right.
#include "matmul.cuh"

constexpr int kTile = 16;  // a block has kTile x kTile threads and computes a tile of C of that size

// ---------------------------------------------------------------------------------------------------------------------
// One thread computes ONE element of C.
__global__ void matmul_kernel(const float* a, const float* b, float* c, int m, int n, int k) {
  // Stage 1, from global memory:
  //
  // TODO 1  Which element does this thread compute? Take col from the x members of blockIdx and threadIdx, row from the
  //         y members.
  // TODO 2  Threads outside C (row >= m or col >= n) must store nothing.
  // TODO 3  A float that starts at 0, and a loop over p from 0 to k - 1: add a(row, p) times b(p, col). Rows of A have
  //         k elements, rows of B have n. (Convert row and p to std::size_t before you multiply them.)
  // TODO 4  Store the sum: rows of C have n elements (std::size_t again). Store it even if k is 0.
  //
  // Stage 2, with tiles:
  //
  // TODO 5  Two tiles in shared memory:  __shared__ float a_tile[kTile][kTile];  and b_tile likewise.
  // TODO 6  The loop over p becomes a loop over tiles: first = 0, kTile, 2 * kTile, ... while first < k. In this loop:
  //           - each thread loads one element of A's tile, a(row, first + threadIdx.x), and one of B's,
  //             b(first + threadIdx.y, col); where the matrix has no such element, it stores 0. (A has m rows and k
  //             columns, B has k rows and n columns: the two tests differ.)
  //           - barrier: __syncthreads();
  //           - a loop over p from 0 to kTile - 1 adds a_tile[threadIdx.y][p] * b_tile[p][threadIdx.x];
  //           - barrier.
  // TODO 7  Threads outside C now have work to do: they load what others need. Move the test of TODO 2 to the store,
  //         which stays at the end, after the loop over tiles.
}

// Task matmul: launch the kernel over all of C.
void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_c as it was.
  //
  // TODO 1  With m == 0 or n == 0 there is nothing to launch. (With k == 0 there is: C is all zeros.)
  // TODO 2  dim3 block(kTile, kTile);  and a dim3 grid with enough blocks in x for the n columns and enough in y for
  //         the m rows. Round up.
  // TODO 3  Launch, then  CHECK(cudaGetLastError());
}
