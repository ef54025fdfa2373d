// Step 1 of sum: one thread per element, and an atomic addition for each.
// Idea      the loop over the elements becomes a grid; sum += x[i] becomes atomicAdd, which is indivisible.
// Gain      correct, unlike the same kernel without atomics. The yardstick of the ladder.
// Traffic   4 bytes read per element, and an addition at the L2 cache for each. Counter: one global atomic request for
//           every 32 elements.
// Wastes    one address absorbs all n additions, one after the other: 2^28 elements take 472 ms on an H200, two
//           thousand times as long as reading them. And of elements in [0, 1), none counts any more once the sum is
//           2^24.
#include "reduction.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert((kMaxElements + kThreadsPerBlock - 1) / kThreadsPerBlock < std::size_t{1} << 31,
              "a grid has fewer than 2^31 blocks in x");

__global__ void sum_kernel(const float* x, std::size_t n, float* sum) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... n - 1, and idle beyond
  if (i < n) atomicAdd(sum, x[i]);
}

}  // namespace

void sum(const float* d_x, std::size_t n, float* d_sum) {
  CHECK(cudaMemsetAsync(d_sum, 0, sizeof(float)));  // 0 is the sum of no elements, and what blocks add to
  if (n == 0) return;                               // a grid of no blocks is an error
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  sum_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_x, n, d_sum);
  CHECK(cudaGetLastError());
}
