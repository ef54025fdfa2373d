// Sum of each block's elements: shuffles inside a warp, shared memory between warps.
#include "check.cuh"

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__device__ int warp_sum(int value) {
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffffu, value, d);
  return value;
}

__global__ void sums_of_blocks(const int* in, int* out, int n) {
  __shared__ int partials[kWarps];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) sum += in[i];
  sum = warp_sum(sum);
  if (lane == 0) partials[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < kWarps ? partials[lane] : 0;
    sum = warp_sum(sum);
    if (lane == 0) out[blockIdx.x] = sum;
  }
}

bool test(int n, int blocks) {
  const std::vector<int> in = numbers(n, 1000, 8);
  std::vector<int> expected(blocks, 0);
  for (int i = 0; i < n; ++i) expected[i / kThreads % blocks] += in[i];
  const DeviceArray<int> d_in(in), d_out(blocks);
  sums_of_blocks<<<blocks, kThreads>>>(d_in.get(), d_out.get(), n);
  finish();
  return is_right("sums", d_out.values(), expected);
}

int main() { return test(1, 1) && test(1000, 3) && test(4 * kThreads, 2) ? 0 : 1; }
