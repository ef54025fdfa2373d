// Step 7 of sum: the block that ends last adds up the blocks' sums, in a fixed order.
// Idea      each block stores its sum in a place of its own and draws a ticket. The one that draws the last knows that
//           all sums are there, and adds them up in the order of the blocks, whichever order they ended in. Which
//           elements a block adds up follows from n alone, so the result has the same bits in every run, and on every
//           GPU.
// Gain      none in time: x 0.98 on an H200, 0.253 ms for 2^28 elements. It is bought back in part by the cudaMemset
//           that is no longer needed. Fewer blocks than in step 6, so that the last one has fewer sums to read.
// Traffic   4 bytes per element, and 8 for each block.
// Wastes    at the end, one block works and the others have ended: some 3 microseconds.
#include "reduction.cuh"

#include <algorithm>

namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kVectorItems = 4;
constexpr int kVectorsPerThread = 4;  // of a tile; all of them are in flight at the same time
constexpr int kTileVectors = kThreadsPerBlock * kVectorsPerThread;
constexpr int kMostBlocks = 2048;
constexpr int kWarp = 32;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kThreadsPerBlock % kWarp == 0 && kWarps <= kWarp, "one warp adds up the sums of all warps of the block");
static_assert(kThreadsPerBlock >= kVectorItems, "one thread each takes the elements that are left over");
static_assert(sizeof(float4) == kVectorItems * sizeof(float), "a float4 is four floats side by side");
static_assert(alignof(float4) <= 256, "the contract aligns arrays to 256 bytes, so element 0 begins a whole vector");

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

__device__ void add(float4& sum, float4 v) {
  sum.x += v.x;
  sum.y += v.y;
  sum.z += v.z;
  sum.w += v.w;
}

// What this thread has to add up: its vectors of every tile of its block, and perhaps one of the last n % 4 elements.
__device__ float thread_sum(const float* x, std::size_t n) {
  const auto* x4 = reinterpret_cast<const float4*>(x);
  const std::size_t vectors = n / kVectorItems;
  const std::size_t full_tiles = vectors / kTileVectors;
  float4 sums = make_float4(0.0f, 0.0f, 0.0f, 0.0f);  // four sums, so that an addition need not wait for the one before
  for (std::size_t tile = blockIdx.x; tile < full_tiles; tile += gridDim.x) {
    float4 v[kVectorsPerThread];
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) v[k] = x4[tile * kTileVectors + k * kThreadsPerBlock + threadIdx.x];
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) add(sums, v[k]);
  }
  if (blockIdx.x == gridDim.x - 1) {  // less than a tile is left, and less than a vector
    for (std::size_t i = full_tiles * kTileVectors + threadIdx.x; i < vectors; i += kThreadsPerBlock) add(sums, x4[i]);
    const std::size_t i = vectors * kVectorItems + threadIdx.x;
    if (i < n) sums.x += x[i];
  }
  return (sums.x + sums.y) + (sums.z + sums.w);
}

__device__ float sums_of_blocks[kMostBlocks];
__device__ unsigned blocks_done = 0;  // 0 before and after every call

__global__ void __launch_bounds__(kThreadsPerBlock) sum_kernel(const float* x, std::size_t n, float* sum) {
  __shared__ bool is_last;
  const float total = block_sum(thread_sum(x, n));
  if (threadIdx.x == 0) {
    sums_of_blocks[blockIdx.x] = total;
    __threadfence();                                                    // first the sum, then the news of it
    is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;  // the last one sets the counter back to 0
    __threadfence();                                                    // first the news, then the others' sums
  }
  __syncthreads();
  if (!is_last) return;
  float mine = 0.0f;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreadsPerBlock)
    mine += __ldcg(&sums_of_blocks[block]);
  const float all = block_sum(mine);
  if (threadIdx.x == 0) *sum = all;
}

}  // namespace

void sum(const float* d_x, std::size_t n, float* d_sum) {
  const std::size_t tiles = n / (kTileVectors * kVectorItems) + 1;  // one for what is left over
  const auto blocks = static_cast<unsigned>(std::min(tiles, std::size_t{kMostBlocks}));
  sum_kernel<<<blocks, kThreadsPerBlock>>>(d_x, n, d_sum);
  CHECK(cudaGetLastError());
}
