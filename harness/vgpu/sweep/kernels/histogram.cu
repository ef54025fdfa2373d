// Histogram with bins of its own for each block, added to everybody's at the end.
#include "check.cuh"

constexpr int kThreads = 64;
constexpr int kBins = 100;

__global__ void histogram(const int* in, unsigned* out, int n) {
  __shared__ unsigned bins[kBins];
  for (int b = threadIdx.x; b < kBins; b += kThreads) bins[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < kBins; b += kThreads) atomicAdd(&out[b], bins[b]);
}

bool test(int n, int blocks) {
  std::vector<int> in = numbers(n, kBins, 10);
  for (int& value : in) --value;
  std::vector<unsigned> expected(kBins, 0);
  for (int value : in) ++expected[value];
  const DeviceArray<int> d_in(in);
  const DeviceArray<unsigned> d_out(std::vector<unsigned>(kBins, 0));
  histogram<<<blocks, kThreads>>>(d_in.get(), d_out.get(), n);
  finish();
  return is_right("bins", d_out.values(), expected);
}

int main() { return test(1, 1) && test(1000, 3) && test(8 * kThreads, 2) ? 0 : 1; }
