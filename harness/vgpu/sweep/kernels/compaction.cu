// Compaction: a warp counts its survivors with a ballot, a block its warps', and all blocks share one counter.
#include "check.cuh"

#include <algorithm>

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

__global__ void keep_even(const int* in, int* out, int* count, int n) {
  __shared__ int warp_begin[kWarps];
  __shared__ int block_begin;
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, i = blockIdx.x * kThreads + t;
  const int value = i < n ? in[i] : 1;
  const bool is_kept = value % 2 == 0;
  const unsigned kept = __ballot_sync(0xffffffffu, is_kept);
  // sweep: equivalent drop-guard 1: all lanes write the same number
  if (lane == 0) warp_begin[warp] = __popc(kept);
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int w = 0; w < kWarps; ++w) {
      const int of_warp = warp_begin[w];
      warp_begin[w] = sum;
      sum += of_warp;
    }
    block_begin = atomicAdd(count, sum);
  }
  __syncthreads();
  const int before = __popc(kept & ((1u << lane) - 1));
  if (is_kept) out[block_begin + warp_begin[warp] + before] = value;
}

bool test(int n) {
  const std::vector<int> in = numbers(n, 1000, 15);
  std::vector<int> expected;
  for (int value : in)
    if (value % 2 == 0) expected.push_back(value);
  const DeviceArray<int> d_in(in), d_out(expected.size()), d_count(std::vector<int>(1, 0));
  keep_even<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in.get(), d_out.get(), d_count.get(), n);
  finish();
  std::vector<int> got = d_out.values();
  std::sort(got.begin(), got.end());  // blocks come in any order
  std::sort(expected.begin(), expected.end());
  return is_right("count", d_count.values(), {static_cast<int>(expected.size())}) && is_right("values", got, expected);
}

int main() { return test(5) && test(500) && test(4 * kThreads) ? 0 : 1; }
