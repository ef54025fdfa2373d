// Lab attention: the softmax of rows, and attention. This is the only file you edit. README.md is the handout;
// attention.cuh specifies exactly what each function must do.
//
//   make check LAB=attention       builds this file, runs it on many arrays, and reports what is wrong and where
//
// Write part 1 first and check it: build/lanewise check softmax.
#include "attention.cuh"

#include <cmath>
#include <cstddef>

// ---------------------------------------------------------------------------------------------------------------------
// Part 1, task softmax: each row of d_x becomes exp(x - m) / sum of exp(x - m), where m is the row's maximum.
__global__ void softmax_kernel(const float* x, float* y, int cols) {
  // TODO 1  A block has the row blockIdx.x. Each thread finds the maximum of its elements, a block apart; -INFINITY if
  //         it has none. Combine the threads' maxima: shuffles, shared memory, barrier.
  // TODO 2  Add up exp(x - maximum) in the same way.
  // TODO 3  Store exp(x - maximum) / sum.
}

void softmax(const float* d_x, float* d_y, int rows, int cols) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_y as it was.
  //
  // TODO 1  Without elements there is nothing to launch: an empty grid is an error.
  // TODO 2  Launch a block for each row, then  CHECK(cudaGetLastError());
}

// Part 2: maximum and sum in one pass. A pair (maximum, sum) stands for the elements seen so far; write a function that
// combines two such pairs, and use it in the loop, in the shuffles and between warps. For no elements, the pair is
// (-INFINITY, 0); mind that -INFINITY - -INFINITY is NaN. Then read a row of up to 8192 elements only once: 8 float4 in
// each of 256 threads.

// ---------------------------------------------------------------------------------------------------------------------
// Part 3, task attention: for each head, out = softmax(Q K^T / sqrt(d)) V. A thread has a query.
constexpr int kQueries = 128;  // of a block
constexpr int kKeys = 32;      // of a tile

template <int kWidth>  // d: a constant, so that the query and the average can stay in registers
__global__ void attention_kernel(const float* q, const float* k, const float* v, float* out, int n) {
  // TODO 1  The query of this thread, and an average of kWidth zeros, in arrays that only unrolled loops go through. A
  //         thread without a query stays: it has to help with copying.
  // TODO 2  For each tile of keys: copy up to kKeys keys and values to shared memory; barriers before and after.
  // TODO 3  For each key of the tile: the score; if it exceeds the maximum, rescale sum and average. Then add the
  //         weight to the sum and, times the value, to the average.
  // TODO 4  Divide by the sum and store.
}

void attention(const float* d_q, const float* d_k, const float* d_v, float* d_out, int heads, int n, int d) {
  // Not implemented yet: as it stands, this launches nothing and leaves d_out as it was.
  //
  // TODO 1  With heads = 0 or n = 0 there is nothing to launch.
  // TODO 2  blockIdx.y is the head, blockIdx.x the block of queries. attention_kernel<32> or <64>, as d says.
}

// Part 4: tiles of queries, too. A block has 128 queries and 256 threads, each of which computes 8 x 4 scores of a tile
// of 64 keys in registers, as in the lab matmul, and 8 rows of the average.
