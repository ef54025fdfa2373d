// Inclusive scan of each block's elements, after Kogge and Stone: every thread adds what is d places before it.
#include "check.cuh"

constexpr int kThreads = 128;

__global__ void scan(const int* in, int* out, int n) {
  __shared__ int sums[kThreads];
  const int t = threadIdx.x, i = blockIdx.x * kThreads + t;
  sums[t] = i < n ? in[i] : 0;
  __syncthreads();
  // sweep: equivalent shift-bound 1: no thread is as many places from the first
  for (int d = 1; d < kThreads; d *= 2) {
    const int before = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  if (i < n) out[i] = sums[t];
}

bool test(int n) {
  const std::vector<int> in = numbers(n, 1000, 5);
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = in[i] + (i % kThreads == 0 ? 0 : expected[i - 1]);
  const DeviceArray<int> d_in(in), d_out(n);
  scan<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in.get(), d_out.get(), n);
  finish();
  return is_right("sums", d_out.values(), expected);
}

int main() { return test(1) && test(300) && test(2 * kThreads) ? 0 : 1; }
