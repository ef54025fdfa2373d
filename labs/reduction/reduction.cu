// Lab reduction: the sum of an array, and the place of its greatest element. This is the only file you edit. README.md
// is the handout; reduction.cuh specifies exactly what each function must do.
//
//   make check LAB=reduction       builds this file, runs it on many arrays, and reports what is wrong and where
//
// Write part 1 of `sum` first and check it. Parts 2 and 3 replace the kernel by better ones; the launch hardly changes.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 256;

// ---------------------------------------------------------------------------------------------------------------------
// Part 1: every block adds up its elements in shared memory, and adds their sum to the result.
__global__ void sum_kernel(const float* x, std::size_t n, float* sum) {
  // TODO 1  Each thread puts its element into shared memory; a thread without an element puts 0 there. Barrier.
  // TODO 2  The tree: for distances kThreadsPerBlock / 2, ... 2, 1, the first `distance` threads add the number that
  //         lies `distance` places behind their own. A barrier after each step, which all threads reach.
  // TODO 3  Thread 0 adds the block's sum to *sum, with atomicAdd.
}

// Task sum: d_sum[0] = d_x[0] + d_x[1] + ... + d_x[n - 1].
void sum(const float* d_x, std::size_t n, float* d_sum) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_sum as it was.
  //
  // TODO 1  Set d_sum[0] to 0: cudaMemset. (Blocks add to it, and it is the result if there are no elements.)
  // TODO 2  Without elements there is nothing to launch: an empty grid is an error.
  // TODO 3  How many blocks cover n elements? Launch them, then  CHECK(cudaGetLastError());
}

// ---------------------------------------------------------------------------------------------------------------------
// Part 2, when all of the above is right: in the kernel, a thread first adds up many elements, in a register, with a
// stride of as many elements as the grid has threads. Launch a fixed number of blocks, or fewer for a short array. Then
// replace the tree by shuffles: each warp adds up its threads' sums by __shfl_down_sync, and the first warp the warps'
// sums.
//
// Part 3: load a float4 at a time, and several before you use the first. Mind the last n % 4 elements.

// ---------------------------------------------------------------------------------------------------------------------
// Part 4, task arg_max: d_index[0] is the index of the first greatest element of d_x; -1 if there are no elements.
void arg_max(const std::int32_t* d_x, std::size_t n, std::int64_t* d_index) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_index as it was.
  //
  // TODO 1  Without elements, store -1 (all bits set: cudaMemset with 0xff).
  // TODO 2  Write functions that pack a value and an index into an unsigned long long, so that of two such numbers the
  //         greater one belongs to the greater value or, of equal values, to the lesser index, and that take the index
  //         out again. (A negative value must give a lesser number than a positive one.)
  // TODO 3  A kernel like that of part 2, with max for +, and atomicMax for atomicAdd; d_index may serve as the place
  //         for the greatest packed number, since its type has 64 bits, too. A second, tiny kernel unpacks it.
}
