// Puzzle 15, atomic_count: one counter for all. An atomic addition reads, adds and writes in one piece.
#include "puzzles.cuh"

__global__ void atomic_count_kernel(const int* in, int* out, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == value) atomicAdd(out, 1);
}

void atomic_count(const int* d_in, int* d_out, int n, int value) {
  cudaMemset(d_out, 0, sizeof(int));
  atomic_count_kernel<<<(n + 127) / 128, 128>>>(d_in, d_out, n, value);
}
