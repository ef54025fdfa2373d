// Puzzle 8, place_barrier: where barriers belong. One barrier between writing the tile and reading it, one between
// reading it and writing the next.
#include "puzzles.cuh"

__global__ void place_barrier_kernel(const int* in, int* out) {
  __shared__ int tile[128];
  for (int k = 0; k < 4; ++k) {
    const int first = (blockIdx.x * 4 + k) * 128;
    tile[threadIdx.x] = in[first + threadIdx.x];
    __syncthreads();
    out[first + threadIdx.x] = tile[127 - threadIdx.x];
    __syncthreads();
  }
}

void place_barrier(const int* d_in, int* d_out, int blocks) { place_barrier_kernel<<<blocks, 128>>>(d_in, d_out); }
