// expect: sum: right
// Two kernels and no atomics: the blocks' sums go into scratch memory, and a single block adds them up. In double, too,
// which the contract does not ask for: every result of more digits is right.
#include "reduction.cuh"

constexpr int kThreadsPerBlock = 128;
constexpr int kBlocks = 200;

template <class T>
__global__ void add_up(const T* x, size_t n, double* sums, float* sum) {
  __shared__ double partial[kThreadsPerBlock];
  double mine = 0;
  for (size_t i = blockIdx.x * kThreadsPerBlock + threadIdx.x; i < n; i += gridDim.x * kThreadsPerBlock) mine += x[i];
  partial[threadIdx.x] = mine;
  for (int distance = 1; distance < kThreadsPerBlock; distance *= 2) {
    __syncthreads();
    const int t = threadIdx.x * 2 * distance;
    if (t < kThreadsPerBlock) partial[t] += partial[t + distance];
  }
  if (threadIdx.x != 0) return;
  if (sums)
    sums[blockIdx.x] = partial[0];
  else
    *sum = partial[0];
}

void sum(const float* d_x, size_t n, float* d_sum) {
  double* d_sums = nullptr;
  cudaMalloc(&d_sums, kBlocks * sizeof(double));
  add_up<float><<<kBlocks, kThreadsPerBlock>>>(d_x, n, d_sums, nullptr);
  add_up<double><<<1, kThreadsPerBlock>>>(d_sums, kBlocks, nullptr, d_sum);
  cudaFree(d_sums);
}
