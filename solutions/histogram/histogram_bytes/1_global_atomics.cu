// Step 1 of histogram_bytes: one thread per element, and an atomic addition in global memory for each.
// Idea      the loop over the elements becomes a grid; bins[v]++ becomes atomicAdd, which is indivisible.
// Gain      correct, unlike the same kernel without atomics. The yardstick of the ladder.
// Traffic   1 byte read per element. Counter: one global atomic request for every 32 elements; each element is an
//           addition at the L2 cache.
// Wastes    256 addresses absorb all n additions, and additions to the same address are serialised. On an H200, 2^30
//           uniform bytes take 276 ms this way, a thousand times as long as reading them, and 750 ms if 90 % are equal.
#include "histogram.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");
static_assert((kMostElements + kThreadsPerBlock - 1) / kThreadsPerBlock < std::size_t{1} << 31,
              "a grid has fewer than 2^31 blocks in x");

__global__ void count_kernel(const std::uint8_t* data, std::size_t n, std::uint32_t* bins) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... n - 1, and idle beyond
  if (i < n) atomicAdd(&bins[data[i]], 1u);
}

}  // namespace

void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins) {
  CHECK(cudaMemsetAsync(d_bins, 0, kByteBins * sizeof(std::uint32_t)));  // bytes; before the return for n == 0
  if (n == 0) return;                                                    // a grid of no blocks is an error
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  count_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_data, n, d_bins);
  CHECK(cudaGetLastError());
}
