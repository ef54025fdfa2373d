// Sum of all elements in one launch: the block that draws the last ticket adds up what all blocks have left behind.
#include "check.cuh"

constexpr int kThreads = 64;

__device__ unsigned tickets = 0;

__device__ int block_sum(int value, int* sums) {
  const int t = threadIdx.x;
  sums[t] = value;
  __syncthreads();
  for (int d = kThreads / 2; d > 0; d /= 2) {
    if (t < d) sums[t] += sums[t + d];
    __syncthreads();
  }
  return sums[0];
}

__global__ void sum_of_all(const int* in, int* parts, int* result, int n) {
  __shared__ int sums[kThreads];
  __shared__ bool is_last;
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  const int part = block_sum(i < n ? in[i] : 0, sums);
  if (t == 0) {
    parts[blockIdx.x] = part;
    __threadfence();
    is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (int block = t; block < gridDim.x; block += kThreads) sum += parts[block];
  const int total = block_sum(sum, sums);
  if (t == 0) {
    *result = total;
    tickets = 0;  // for the next launch
  }
}

bool test(int n) {
  const std::vector<int> in = numbers(n, 1000, 9);
  std::vector<int> expected(1, 0);
  for (int value : in) expected[0] += value;
  const int blocks = (n + kThreads - 1) / kThreads;
  const DeviceArray<int> d_in(in), d_parts(blocks), d_result(1);
  sum_of_all<<<blocks, kThreads>>>(d_in.get(), d_parts.get(), d_result.get(), n);
  finish();
  return is_right("sum", d_result.values(), expected);
}

int main() { return test(1) && test(5000) && test(4 * kThreads) ? 0 : 1; }
