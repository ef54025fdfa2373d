// Step 2 of histogram_wide: as many bins at a time as fit in shared memory, reading the data once for each such range.
// Idea      a pass counts the values of one range of bins in shared memory and ignores all others; the next pass reads
//           the data again for the next range.
// Gain      x 6.0 on an H200 for 2^28 values and 65,536 bins, because reading them twice (0.53 ms) costs less than 2^28
//           atomic operations at the L2 cache. For 2^21 bins a loss, x 0.28.
// Traffic   4 bytes per element and pass. Counters: shared atomics instead of global ones, and fewer sectors of the L2
//           cache, although those of global loads rise with every pass.
// Wastes    2^21 bins take 37 passes, and every pass reads all of the data to count a 37th of it.
#include "histogram.cuh"

#include <algorithm>

namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kVectorItems = 4;
constexpr int kVectorsInFlight = 4;   // per thread: 64 KiB per multiprocessor, which has room for one such block
constexpr int kBinsPerPass = 57'344;  // 224 KiB, of the 227 that a block may have on this device
constexpr int kElementsPerBin = 8;    // the least that a block counts: clearing and adding up a bin costs about two
static_assert(kThreadsPerBlock <= 1024, "a block has at most 1024 threads");
static_assert(kBinsPerPass * sizeof(std::uint32_t) <= 227 * 1024, "a block has at most 227 KiB of shared memory");
static_assert(sizeof(uint4) == kVectorItems * sizeof(std::uint32_t), "a vector is four values");
static_assert(alignof(uint4) <= 256, "the contract aligns data to 256 bytes, so value 0 begins a whole vector");

// use(vectors[i]) for i = first, first + stride, ... below end. Several loads are in flight before the first is used.
template <class Use>
__device__ void for_each_vector(const uint4* vectors, std::size_t first, std::size_t end, std::size_t stride,
                                const Use& use) {
  std::size_t i = first;
  for (; i + (kVectorsInFlight - 1) * stride < end; i += kVectorsInFlight * stride) {
    uint4 vector[kVectorsInFlight];
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) vector[k] = vectors[i + k * stride];
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) use(vector[k]);
  }
  for (; i < end; i += stride) use(vectors[i]);
}

// Values below first_bin wrap around to large numbers: one comparison tests both ends of the range.
__device__ void count_value(std::uint32_t* mine, std::uint32_t value, std::uint32_t first_bin, std::uint32_t bins) {
  const std::uint32_t b = value - first_bin;
  if (b < bins) atomicAdd(&mine[b], 1u);
}

// Counts the values in [first_bin, first_bin + pass_bins) into bins[first_bin ...].
__global__ void count_range_kernel(const std::uint32_t* data, std::size_t n, std::uint32_t* bins,
                                   std::uint32_t first_bin, std::uint32_t pass_bins) {
  extern __shared__ std::uint32_t mine[];  // pass_bins
  for (std::uint32_t b = threadIdx.x; b < pass_bins; b += kThreadsPerBlock) mine[b] = 0;
  __syncthreads();

  const auto* vectors = reinterpret_cast<const uint4*>(data);
  const std::size_t count = n / kVectorItems;
  const std::size_t stride = std::size_t{gridDim.x} * kThreadsPerBlock;  // threads of the whole grid
  const std::size_t first = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  for_each_vector(vectors, first, count, stride, [=](uint4 vector) {
    count_value(mine, vector.x, first_bin, pass_bins);
    count_value(mine, vector.y, first_bin, pass_bins);
    count_value(mine, vector.z, first_bin, pass_bins);
    count_value(mine, vector.w, first_bin, pass_bins);
  });
  const std::size_t left_over = count * kVectorItems + first;  // 0 to 3 elements, for the grid's first threads
  if (left_over < n) count_value(mine, data[left_over], first_bin, pass_bins);
  __syncthreads();

  for (std::uint32_t b = threadIdx.x; b < pass_bins; b += kThreadsPerBlock)
    if (mine[b] > 0) atomicAdd(&bins[first_bin + b], mine[b]);
}

// Blocks that the whole device can run at the same time with this much shared memory each; 0 after an error.
template <class Kernel>
int resident_blocks(Kernel kernel, std::size_t shared_bytes) {
  int device = 0;
  int multiprocessors = 0;
  int blocks_each = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device) != cudaSuccess ||
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, kernel, kThreadsPerBlock, shared_bytes) !=
          cudaSuccess)
    return 0;
  return multiprocessors * blocks_each;
}

}  // namespace

void histogram_wide(const std::uint32_t* d_data, std::size_t n, std::uint32_t* d_bins, int num_bins) {
  CHECK(cudaMemsetAsync(d_bins, 0, num_bins * sizeof(std::uint32_t)));
  if (n == 0) return;  // a grid of no blocks is an error
  const int pass_bins = std::min(num_bins, kBinsPerPass);
  const std::size_t shared_bytes = pass_bins * sizeof(std::uint32_t);
  CHECK(cudaFuncSetAttribute(count_range_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared_bytes)));  // more than 48 KiB must be requested
  const std::size_t worthwhile = n / (kElementsPerBin * std::max(pass_bins, kThreadsPerBlock)) + 1;
  const std::size_t blocks = std::min<std::size_t>(resident_blocks(count_range_kernel, shared_bytes), worthwhile);
  for (int first = 0; first < num_bins; first += pass_bins)
    count_range_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock, shared_bytes>>>(
        d_data, n, d_bins, first, std::min(pass_bins, num_bins - first));
  CHECK(cudaGetLastError());
}
