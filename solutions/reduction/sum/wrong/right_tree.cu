// expect: sum: right
// Part 1 of the handout: a tree in shared memory, and an atomic addition for each block.
// The differences next to it spoil it in one way each.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 256;

__global__ void sum_kernel(const float* x, size_t n, float* sum) {
  __shared__ float partial[kThreadsPerBlock];
  const int t = threadIdx.x;
  const size_t i = size_t{blockIdx.x} * kThreadsPerBlock + t;
  partial[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (int distance = kThreadsPerBlock / 2; distance > 0; distance /= 2) {
    if (t < distance) partial[t] += partial[t + distance];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, partial[0]);
}

void sum(const float* d_x, size_t n, float* d_sum) {
  cudaMemset(d_sum, 0, sizeof(float));
  if (n == 0) return;
  const size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  sum_kernel<<<blocks, kThreadsPerBlock>>>(d_x, n, d_sum);
}
