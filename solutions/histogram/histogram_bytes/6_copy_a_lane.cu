// Step 6 of histogram_bytes: 32 copies of the bins in shared memory, one for each lane of a warp, each in its own bank.
// Idea      bin v of lane l is word 32 v + l, so lane l never leaves bank l: whatever the data, no two lanes of a warp
//           share an address or a bank. The 32 copies are added up once, when the block has counted everything.
// Gain      x 1.9 over step 4 on an H200 (2^30 uniform bytes: 0.26 ms, 4.2 TB/s, 93 % of what reading alone reaches),
//           x 1.02 if 90 % are equal: the time no longer depends on the data.
// Traffic   1 byte per element; 32 KiB of shared memory per block. Counters: turns per request of shared atomics, 1 for
//           any data, and their bank conflicts, 0.
// Wastes    clearing and adding up 8192 words per block: with as many blocks as run at once, less than a hundredth of
//           the work.
#include "histogram.cuh"

#include <algorithm>

namespace {

constexpr int kWarp = 32;
constexpr int kThreadsPerBlock = 1024;  // two such blocks, 64 KiB of bins, fill a multiprocessor
constexpr int kVectorItems = 16;
constexpr int kVectorsPerThread = 2;  // loaded before the first is counted: 64 KiB in flight per multiprocessor
constexpr int kLaneBins = kByteBins * kWarp;
static_assert(kLaneBins * sizeof(std::uint32_t) <= 48 * 1024, "the copies must fit into 48 KiB of shared memory");
static_assert(kThreadsPerBlock >= kByteBins, "one thread for each bin adds its copies up");
static_assert(kThreadsPerBlock >= kVectorItems, "one thread each takes the elements that are left over");
static_assert(sizeof(uint4) == kVectorItems, "a vector is sixteen bytes");
static_assert(alignof(uint4) <= 256, "the contract aligns data to 256 bytes, so byte 0 begins a whole vector");

// `bins` points to bin 0 of this thread's lane.
__device__ void count_word(std::uint32_t* bins, std::uint32_t word) {
  atomicAdd(&bins[(word & 0xFF) * kWarp], 1u);
  atomicAdd(&bins[(word >> 8 & 0xFF) * kWarp], 1u);
  atomicAdd(&bins[(word >> 16 & 0xFF) * kWarp], 1u);
  atomicAdd(&bins[(word >> 24) * kWarp], 1u);
}

__device__ void count_vector(std::uint32_t* bins, uint4 vector) {
  count_word(bins, vector.x);
  count_word(bins, vector.y);
  count_word(bins, vector.z);
  count_word(bins, vector.w);
}

__global__ void __launch_bounds__(kThreadsPerBlock, 2)
    count_kernel(const std::uint8_t* data, std::size_t n, std::uint32_t* bins) {
  __shared__ std::uint32_t lane_bins[kLaneBins];  // [value][lane]
  const int t = static_cast<int>(threadIdx.x);
  const int lane = t % kWarp;
  for (int i = t; i < kLaneBins; i += kThreadsPerBlock) lane_bins[i] = 0;
  __syncthreads();

  // Still atomic: the 32 warps of the block share the 32 copies.
  std::uint32_t* mine = lane_bins + lane;
  const auto* vectors = reinterpret_cast<const uint4*>(data);
  const std::size_t count = n / kVectorItems;
  const std::size_t stride = std::size_t{gridDim.x} * kThreadsPerBlock;  // threads of the whole grid
  const std::size_t first = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  std::size_t i = first;
  for (; i + (kVectorsPerThread - 1) * stride < count; i += kVectorsPerThread * stride) {
    uint4 vector[kVectorsPerThread];
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) vector[k] = vectors[i + k * stride];
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) count_vector(mine, vector[k]);
  }
  for (; i < count; i += stride) count_vector(mine, vectors[i]);
  const std::size_t left_over = count * kVectorItems + first;  // 0 to 15 elements, for the grid's first threads
  if (left_over < n) atomicAdd(&mine[data[left_over] * kWarp], 1u);
  __syncthreads();

  // One thread per bin, beginning with its own lane's copy: in every turn, the lanes of a warp read 32 different banks.
  if (t < kByteBins) {
    std::uint32_t sum = 0;
    for (int turn = 0; turn < kWarp; ++turn) sum += lane_bins[t * kWarp + (t + turn) % kWarp];
    if (sum > 0) atomicAdd(&bins[t], sum);
  }
}

// Blocks that the whole device can run at the same time; 0 after an error.
int resident_blocks() {
  int device = 0;
  int multiprocessors = 0;
  int blocks_each = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, count_kernel, kThreadsPerBlock, 0) != cudaSuccess)
    return 0;
  return multiprocessors * blocks_each;
}

}  // namespace

void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins) {
  CHECK(cudaMemsetAsync(d_bins, 0, kByteBins * sizeof(std::uint32_t)));
  if (n == 0) return;  // a grid of no blocks is an error
  // Few elements, fewer blocks than can run at the same time: each block should count more than it clears.
  constexpr std::size_t kTile = std::size_t{kThreadsPerBlock} * kVectorItems * kVectorsPerThread;
  const std::size_t blocks = std::min<std::size_t>(resident_blocks(), (n + kTile - 1) / kTile);
  count_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_data, n, d_bins);
  CHECK(cudaGetLastError());
}
