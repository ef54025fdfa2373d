// Queue in shared memory: a block gathers what it finds, then appends it to the global queue in one go.
#include "check.cuh"

#include <algorithm>

constexpr int kThreads = 64;
constexpr int kRoom = 40;  // in the block's queue; what does not fit goes to the global one at once

__global__ void find_multiples(const int* in, int n, int divisor, int* queue, int* queue_count) {
  __shared__ int found[kRoom];
  __shared__ int found_count, begin;
  if (threadIdx.x == 0) found_count = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    if (in[i] % divisor != 0) continue;
    const int at = atomicAdd(&found_count, 1);
    if (at < kRoom)
      found[at] = i;
    else
      queue[atomicAdd(queue_count, 1)] = i;
  }
  __syncthreads();
  const int count = min(found_count, kRoom);
  if (threadIdx.x == 0) begin = atomicAdd(queue_count, count);
  __syncthreads();
  for (int i = threadIdx.x; i < count; i += kThreads) queue[begin + i] = found[i];
}

bool test(int n, int divisor, int blocks) {
  const std::vector<int> in = numbers(n, 1000, 21);
  std::vector<int> expected;
  for (int i = 0; i < n; ++i)
    if (in[i] % divisor == 0) expected.push_back(i);
  const DeviceArray<int> d_in(in), d_queue(expected.size()), d_count(std::vector<int>(1, 0));
  find_multiples<<<blocks, kThreads>>>(d_in.get(), n, divisor, d_queue.get(), d_count.get());
  finish();
  std::vector<int> got = d_queue.values();
  std::sort(got.begin(), got.end());  // in any order
  return is_right("count", d_count.values(), {static_cast<int>(expected.size())}) && is_right("queue", got, expected);
}

int main() { return test(1, 1, 1) && test(1000, 3, 3) && test(4 * kThreads, 2, 2) && test(kRoom, 1, 1) ? 0 : 1; }
