// One-dimensional convolution: weights in constant memory, a tile with a halo on both sides in shared memory.
#include "check.cuh"

constexpr int kThreads = 64;
constexpr int kRadius = 3;

__constant__ int weights[2 * kRadius + 1];

__global__ void convolve(const int* in, int* out, int n) {
  __shared__ int tile[kThreads + 2 * kRadius];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  tile[kRadius + t] = i < n ? in[i] : 0;
  if (t < kRadius) {
    // sweep: equivalent shift-bound 1: in the first block these threads have smaller i, in others larger
    tile[t] = i >= kRadius ? in[i - kRadius] : 0;
    tile[kRadius + kThreads + t] = i + kThreads < n ? in[i + kThreads] : 0;
  }
  __syncthreads();
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k <= 2 * kRadius; ++k) sum += weights[k] * tile[t + k];
  out[i] = sum;
}

bool test(int n) {
  const std::vector<int> in = numbers(n, 1000, 24), of_taps = {1, 2, 4, 8, 16, 32, 64};
  std::vector<int> expected(n, 0);
  for (int i = 0; i < n; ++i)
    for (int k = -kRadius; k <= kRadius; ++k)
      if (i + k >= 0 && i + k < n) expected[i] += of_taps[k + kRadius] * in[i + k];
  CHECK(cudaMemcpyToSymbol(weights, of_taps.data(), sizeof weights));
  const DeviceArray<int> d_in(in), d_out(n);
  convolve<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in.get(), d_out.get(), n);
  finish();
  return is_right("values", d_out.values(), expected);
}

int main() { return test(1) && test(200) && test(2 * kThreads) && test(kThreads + 1) ? 0 : 1; }
