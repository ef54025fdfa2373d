// Inclusive scan after Brent and Kung: a reduction tree up, and down again; each thread has two elements.
#include "check.cuh"

constexpr int kThreads = 64;
constexpr int kItems = 2 * kThreads;

__global__ void scan(const int* in, int* out, int n) {
  __shared__ int sums[kItems];
  const int t = threadIdx.x, begin = blockIdx.x * kItems;
  for (int i = t; i < kItems; i += kThreads) sums[i] = begin + i < n ? in[begin + i] : 0;
  __syncthreads();
  // sweep: equivalent shift-bound 1: one more level, of which no element is inside
  for (int d = 1; d < kItems; d *= 2) {
    const int at = (t + 1) * 2 * d - 1;
    // sweep: equivalent shift-bound 1: at is odd, kItems is not
    if (at < kItems) sums[at] += sums[at - d];
    __syncthreads();
  }
  for (int d = kItems / 4; d > 0; d /= 2) {
    const int at = (t + 1) * 2 * d - 1;
    if (at + d < kItems) sums[at + d] += sums[at];
    __syncthreads();
  }
  for (int i = t; i < kItems && begin + i < n; i += kThreads) out[begin + i] = sums[i];
}

bool test(int n) {
  const std::vector<int> in = numbers(n, 1000, 6);
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = in[i] + (i % kItems == 0 ? 0 : expected[i - 1]);
  const DeviceArray<int> d_in(in), d_out(n);
  scan<<<(n + kItems - 1) / kItems, kThreads>>>(d_in.get(), d_out.get(), n);
  finish();
  return is_right("sums", d_out.values(), expected);
}

int main() { return test(1) && test(300) && test(2 * kItems) ? 0 : 1; }
