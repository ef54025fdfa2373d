// One atomic for a whole warp: its first active lane reserves room for all, and tells the others where.
#include "check.cuh"

#include <algorithm>

constexpr int kThreads = 64;

__global__ void keep_odd(const int* in, int* out, int* count, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % 32;
  // sweep: equivalent shift-bound 1: threads that have ended are not waited for, though a mask names them
  const unsigned inside = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  const bool is_kept = in[i] % 2 != 0;
  const unsigned kept = __ballot_sync(inside, is_kept);
  // sweep: equivalent drop-guard 1: without a leader begin is of no use, and nobody uses it
  if (kept == 0) return;
  const int leader = __ffs(kept) - 1;
  int begin = 0;
  if (lane == leader) begin = atomicAdd(count, __popc(kept));
  begin = __shfl_sync(inside, begin, leader);
  if (is_kept) out[begin + __popc(kept & ((1u << lane) - 1))] = in[i];
}

bool test(int n) {
  const std::vector<int> in = numbers(n, 1000, 22);
  std::vector<int> expected;
  for (int value : in)
    if (value % 2 != 0) expected.push_back(value);
  const DeviceArray<int> d_in(in), d_out(expected.size()), d_count(std::vector<int>(1, 0));
  keep_odd<<<(n + kThreads - 1) / kThreads, kThreads>>>(d_in.get(), d_out.get(), d_count.get(), n);
  finish();
  std::vector<int> got = d_out.values();
  std::sort(got.begin(), got.end());  // in any order
  std::sort(expected.begin(), expected.end());
  return is_right("count", d_count.values(), {static_cast<int>(expected.size())}) && is_right("values", got, expected);
}

int main() { return test(7) && test(500) && test(4 * kThreads) ? 0 : 1; }
