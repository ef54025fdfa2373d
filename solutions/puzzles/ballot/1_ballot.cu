// Puzzle 14, ballot: a warp votes. The vote of a warp is a word with one bit for each lane.
#include "puzzles.cuh"

__global__ void ballot_kernel(const int* in, int* out) {
  const unsigned votes = __ballot_sync(0xffffffff, in[blockIdx.x * 32 + threadIdx.x] > 0);
  if (threadIdx.x == 0) out[blockIdx.x] = __popc(votes);
}

void ballot(const int* d_in, int* d_out, int warps) { ballot_kernel<<<warps, 32>>>(d_in, d_out); }
