// Step 4 of sum: warps add up in registers.
// Idea      lanes of a warp can read one another's registers. Five shuffles add up a warp, without shared memory and
//           without barriers; the first warp then does the same with the sums of all warps.
// Gain      x 1.20 on an H200: one barrier instead of ten.
// Traffic   4 bytes per element. Counter: requests to shared memory nearly vanish.
// Wastes    a block is started, waits for its loads, waits at its barrier and ends, all for 512 elements; and half a
//           million atomic additions remain.
#include "reduction.cuh"

namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kWarp = 32;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert((kMaxElements + kThreadsPerBlock - 1) / kThreadsPerBlock < std::size_t{1} << 31,
              "a grid has fewer than 2^31 blocks in x");
static_assert(kThreadsPerBlock % kWarp == 0 && kWarps <= kWarp, "one warp adds up the sums of all warps of the block");

// The sum over all lanes, in lane 0. Every lane of the warp has to call it.
__device__ float warp_sum(float value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) value += __shfl_down_sync(kAllLanes, value, distance);
  return value;
}

// The sum over all threads, in thread 0. Every thread of the block has to call it.
__device__ float block_sum(float value) {
  __shared__ float of_warp[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  value = warp_sum(value);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();
  if (warp == 0) value = warp_sum(lane < kWarps ? of_warp[lane] : 0.0f);
  return value;
}

__global__ void sum_kernel(const float* x, std::size_t n, float* sum) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... n - 1, and idle beyond
  const float total = block_sum(i < n ? x[i] : 0.0f);  // all threads stay: a shuffle needs every lane
  if (threadIdx.x == 0) atomicAdd(sum, total);
}

}  // namespace

void sum(const float* d_x, std::size_t n, float* d_sum) {
  CHECK(cudaMemsetAsync(d_sum, 0, sizeof(float)));  // 0 is the sum of no elements, and what blocks add to
  if (n == 0) return;                               // a grid of no blocks is an error
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  sum_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_x, n, d_sum);
  CHECK(cudaGetLastError());
}
