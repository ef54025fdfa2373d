// Sum of each block's elements: a tree in shared memory, whose last levels belong to one warp.
#include "check.cuh"

constexpr int kThreads = 128;

__global__ void sums_of_blocks(const int* in, int* out, int n) {
  __shared__ int sums[kThreads];
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = blockIdx.x * kThreads + t; i < n; i += gridDim.x * kThreads) sum += in[i];
  sums[t] = sum;
  __syncthreads();
  for (int d = kThreads / 2; d >= 32; d /= 2) {
    if (t < d) sums[t] += sums[t + d];
    __syncthreads();
  }
  if (t < 32) {
    for (int d = 16; d > 0; d /= 2) {
      const int other = sums[t + d];
      __syncwarp();
      sums[t] += other;
      __syncwarp();
    }
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}

bool test(int n, int blocks) {
  const std::vector<int> in = numbers(n, 1000, 7);
  std::vector<int> expected(blocks, 0);
  for (int i = 0; i < n; ++i) expected[i / kThreads % blocks] += in[i];
  const DeviceArray<int> d_in(in), d_out(blocks);
  sums_of_blocks<<<blocks, kThreads>>>(d_in.get(), d_out.get(), n);
  finish();
  return is_right("sums", d_out.values(), expected);
}

int main() { return test(1, 1) && test(1000, 3) && test(4 * kThreads, 2) ? 0 : 1; }
