// Step 4 of arg_max: 16-byte loads, several in flight; the place within a vector is found last.
// Idea      a thread compares the greatest of four elements with the greatest so far, and remembers the vector. Which
//           element of the vector it was is asked once, at the very end. A warp finds its greatest value, and then the
//           least index that has it, by one instruction each. The last block to end unpacks the result.
// Gain      x 1.7 on an H200: 0.252 ms for 2^28 elements, 4.26 TB/s. One launch instead of three operations.
// Traffic   4 bytes per element; a quarter of the load requests.
// Wastes    nothing that shows.
#include "reduction.cuh"

#include <algorithm>

namespace {

constexpr int kThreadsPerBlock = 512;
constexpr int kVectorItems = 4;
constexpr int kVectorsPerThread = 4;  // of a tile; all of them are in flight at the same time
constexpr int kTileVectors = kThreadsPerBlock * kVectorsPerThread;
constexpr int kMostBlocks = 4096;
constexpr int kWarp = 32;
constexpr int kWarps = kThreadsPerBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;
static_assert(kThreadsPerBlock % kWarp == 0 && kWarps <= kWarp, "one warp compares what all warps of the block found");
static_assert(kMaxElements / kVectorItems < std::size_t{1} << 32, "no vector has the index whose key may be 0");
static_assert(sizeof(int4) == kVectorItems * sizeof(std::int32_t), "an int4 is four integers side by side");
static_assert(alignof(int4) <= 256, "the contract aligns arrays to 256 bytes, so element 0 begins a whole vector");

using Key = unsigned long long;  // the type that atomicMax takes

// The greatest element of a vector, and the index of the vector, as one number. Of two such numbers, the greater one
// has the greater element, or an equal one and the lesser index.
__device__ Key key_of(std::int32_t value, std::uint32_t index) {
  const std::uint32_t ordered = static_cast<std::uint32_t>(value) ^ 0x80000000u;  // negative ones come first
  return Key{ordered} << 32 | ~index;
}
__device__ std::int32_t value_of(Key key) { return static_cast<std::int32_t>((key >> 32) ^ 0x80000000u); }
__device__ std::uint32_t index_of(Key key) { return ~static_cast<std::uint32_t>(key); }

// The greatest key of all lanes, in every lane: first the greatest value, then the least index among those that have
// it.
__device__ Key warp_max(Key key) {
  const auto high = static_cast<std::uint32_t>(key >> 32);
  const std::uint32_t greatest = __reduce_max_sync(kAllLanes, high);
  const std::uint32_t low = __reduce_max_sync(kAllLanes, high == greatest ? static_cast<std::uint32_t>(key) : 0u);
  return Key{greatest} << 32 | low;
}

// The greatest key of all threads, in thread 0. Every thread of the block has to call it.
__device__ Key block_max(Key key) {
  __shared__ Key of_warp[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  key = warp_max(key);
  if (lane == 0) of_warp[warp] = key;
  __syncthreads();
  if (warp == 0) key = warp_max(lane < kWarps ? of_warp[lane] : 0);  // 0 is no greater than any key
  return key;
}

// The greatest element that a thread has seen, and the first of its vectors that holds it.
struct Best {
  std::int32_t value;
  std::uint32_t vector;
};

__device__ void look_at(Best& best, std::int32_t value, std::size_t vector) {
  if (value <= best.value) return;  // an equal one comes later
  best = {value, static_cast<std::uint32_t>(vector)};
}
__device__ std::int32_t greatest_of(int4 v) { return max(max(v.x, v.y), max(v.z, v.w)); }

// The vectors of every tile of the thread's block, in ascending order. The last vector may be shorter than four.
__device__ Key thread_max(const std::int32_t* x, std::size_t n) {
  const auto* x4 = reinterpret_cast<const int4*>(x);
  const std::size_t vectors = n / kVectorItems;
  const std::size_t full_tiles = vectors / kTileVectors;
  Best best = {INT32_MIN, UINT32_MAX};  // the key of this is 0: no greater than any other
  if (blockIdx.x < full_tiles) best.vector = static_cast<std::uint32_t>(blockIdx.x * kTileVectors + threadIdx.x);
  for (std::size_t tile = blockIdx.x; tile < full_tiles; tile += gridDim.x) {
    const std::size_t first = tile * kTileVectors + threadIdx.x;
    int4 v[kVectorsPerThread];
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) v[k] = x4[first + k * kThreadsPerBlock];
#pragma unroll
    for (int k = 0; k < kVectorsPerThread; ++k) look_at(best, greatest_of(v[k]), first + k * kThreadsPerBlock);
  }
  Key key = key_of(best.value, best.vector);
  if (blockIdx.x == gridDim.x - 1) {  // less than a tile is left, and less than a vector
    for (std::size_t i = full_tiles * kTileVectors + threadIdx.x; i < vectors; i += kThreadsPerBlock)
      key = max(key, key_of(greatest_of(x4[i]), static_cast<std::uint32_t>(i)));
    const std::size_t i = vectors * kVectorItems + threadIdx.x;
    if (i < n) key = max(key, key_of(x[i], static_cast<std::uint32_t>(vectors)));
  }
  return key;
}

__device__ Key greatest = 0;          // 0 before and after every call
__device__ unsigned blocks_done = 0;  // likewise

__global__ void __launch_bounds__(kThreadsPerBlock)
    max_kernel(const std::int32_t* x, std::size_t n, std::int64_t* index) {
  const Key best = block_max(thread_max(x, n));
  if (threadIdx.x != 0) return;
  atomicMax(&greatest, best);
  __threadfence();                                                      // first the key, then the news of it
  if (atomicInc(&blocks_done, gridDim.x - 1) != gridDim.x - 1) return;  // the last one sets the counter back to 0
  __threadfence();
  const Key all = atomicExch(&greatest, 0);
  const std::size_t first = std::size_t{index_of(all)} * kVectorItems;
  std::size_t i = first;
  while (x[i] != value_of(all)) ++i;  // at most three steps: the vector holds the value
  *index = static_cast<std::int64_t>(i);
}

}  // namespace

void arg_max(const std::int32_t* d_x, std::size_t n, std::int64_t* d_index) {
  if (n == 0) {
    CHECK(cudaMemsetAsync(d_index, 0xff, sizeof(std::int64_t)));  // all bits set: -1
    return;
  }
  const std::size_t tiles = n / (kTileVectors * kVectorItems) + 1;  // one for what is left over
  const auto blocks = static_cast<unsigned>(std::min(tiles, std::size_t{kMostBlocks}));
  max_kernel<<<blocks, kThreadsPerBlock>>>(d_x, n, d_index);
  CHECK(cudaGetLastError());
}
