// Puzzle 19, coalesced: neighbours read neighbours. The eight elements of a thread are 128 apart, and those of
// neighbouring threads next to each other.
#include "puzzles.cuh"

__global__ void coalesced_kernel(const int* in, int* out, int n) {
  const int first = blockIdx.x * 1024 + threadIdx.x;
  for (int k = 0; k < 1024; k += 128)
    if (first + k < n) out[first + k] = in[first + k] + 1;
}

void coalesced(const int* d_in, int* d_out, int n) { coalesced_kernel<<<(n + 1023) / 1024, 128>>>(d_in, d_out, n); }
