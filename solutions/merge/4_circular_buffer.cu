// Step 4 of merge_sorted: the tiles are circular buffers; what was not used up stays.
// Idea      of the two tiles, only as many keys are used up as the output tile has. The others stay where they are: the
//           buffer's head moves past the keys that are used up, and new keys take their places, around the end.
// Gain      none in time: x 0.89 on an H200. Every key of a section is loaded once, with little more than half the
//           sectors of step 3. But what step 3 loads twice is still in a cache, and positions that wrap around cost
//           instructions.
// Traffic   8 bytes per output. Counter: sectors of global loads. Every access to shared memory pays for it with a
//           position to wrap around, one instruction since the tile is a power of two.
// Wastes    two whole tiles of shared memory for one of output, and registers for heads and counts (which leave no room
//           for a quarter of the warps). No load is under way while a block merges. The stores to out_tile conflict as
//           before: eight lanes share a bank.
#include "merge.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kTilesPerSection = 8;  // more would save searches; fewer fill the device with fewer outputs
constexpr int kSectionItems = kTileItems * kTilesPerSection;
static_assert((kTileItems & (kTileItems - 1)) == 0, "positions wrap around by masking, which takes a power of two");
static_assert(kThreadsPerBlock >= 64, "the section's two borders are found by two different warps");
static_assert(3 * kTileItems * sizeof(std::int32_t) <= 47 * 1024, "three tiles fit the 48 KiB of static shared memory");

// A circular buffer of kTileItems keys; [x] is the x-th key that is not used up.
struct Ring {
  std::int32_t* keys;
  int head;  // 0 ... kTileItems - 1

  __device__ std::int32_t& operator[](int x) const { return keys[(head + x) & (kTileItems - 1)]; }
};

// How many of the first k outputs come from A, if equal keys of A come before those of B. `Keys` is a pointer or a
// Ring.
template <class Index, class Keys>
__device__ Index co_rank(Index k, Keys a, Index m, Keys b, Index n) {
  Index low = k > n ? k - n : 0;  // B has n elements, so at least k - n come from A
  Index high = k < m ? k : m;
  while (low < high) {  // the answer is in [low, high]
    const Index i = low + (high - low) / 2;
    if (a[i] <= b[k - 1 - i])  // a[i] comes before b[k - 1 - i]: i elements of A are too few
      low = i + 1;
    else
      high = i;
  }
  return low;
}

// Appends `count` keys to the `held` ones; neighbouring lanes load neighbouring keys.
__device__ void refill(const std::int32_t* from, Ring ring, int held, int count) {
  for (int x = static_cast<int>(threadIdx.x); x < count; x += kThreadsPerBlock) ring[held + x] = from[x];
}

// Merges outputs first ... end - 1 of the tile from the keys in shared memory. Returns how many of the first `end`
// outputs come from A.
__device__ int merge_segment(Ring a, int m, Ring b, int n, std::int32_t* out, int first, int end) {
  int i = co_rank(first, a, m, b, n);  // 0 ... m
  int j = first - i;                   // 0 ... n
  for (int k = first; k < end; ++k) {
    const bool takes_a = j == n || (i < m && a[i] <= b[j]);  // k < m + n: one of the two is not used up
    out[k] = takes_a ? a[i++] : b[j++];
  }
  return i;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_kernel(const std::int32_t* a, std::size_t m, const std::int32_t* b, std::size_t n, std::int32_t* out) {
  __shared__ std::int32_t a_keys[kTileItems];
  __shared__ std::int32_t b_keys[kTileItems];
  __shared__ std::int32_t out_tile[kTileItems];
  __shared__ std::size_t borders[2];  // co-ranks of the section's beginning and end
  __shared__ int used_of_a;           // keys of A in the merged tile

  const std::size_t section = std::size_t{blockIdx.x} * kSectionItems;
  const std::size_t section_end = min(section + kSectionItems, m + n);
  if (threadIdx.x == 0) borders[0] = co_rank(section, a, m, b, n);
  if (threadIdx.x == 32) borders[1] = co_rank(section_end, a, m, b, n);
  __syncthreads();
  std::size_t i = borders[0];  // the next key of A to load
  std::size_t j = section - i;
  const std::size_t i_end = borders[1];
  const std::size_t j_end = section_end - i_end;

  Ring a_ring{a_keys, 0};
  Ring b_ring{b_keys, 0};
  int a_held = 0;  // keys in the ring, 0 ... kTileItems
  int b_held = 0;
  for (std::size_t k = section; k < section_end; k += kTileItems) {
    const int a_new = static_cast<int>(min(i_end - i, static_cast<std::size_t>(kTileItems - a_held)));
    const int b_new = static_cast<int>(min(j_end - j, static_cast<std::size_t>(kTileItems - b_held)));
    const int out_count = static_cast<int>(min(section_end - k, std::size_t{kTileItems}));
    refill(a + i, a_ring, a_held, a_new);
    refill(b + j, b_ring, b_held, b_new);
    i += a_new;
    j += b_new;
    a_held += a_new;
    b_held += b_new;
    __syncthreads();  // the rings are full, or hold all that is left

    const int first = min(static_cast<int>(threadIdx.x) * kItemsPerThread, out_count);
    const int end = min(first + kItemsPerThread, out_count);
    const int until_end = merge_segment(a_ring, a_held, b_ring, b_held, out_tile, first, end);
    if (first < end && end == out_count) used_of_a = until_end;  // one thread makes the tile's last output
    __syncthreads();  // the merged tile is there, and no thread still reads what the next refill overwrites

    for (int x = static_cast<int>(threadIdx.x); x < out_count; x += kThreadsPerBlock) out[k + x] = out_tile[x];
    a_ring.head = (a_ring.head + used_of_a) & (kTileItems - 1);
    b_ring.head = (b_ring.head + out_count - used_of_a) & (kTileItems - 1);
    a_held -= used_of_a;
    b_held -= out_count - used_of_a;
  }
}

}  // namespace

void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out) {
  if (m + n == 0) return;  // a grid of no blocks is an error
  const std::size_t blocks = (m + n + kSectionItems - 1) / kSectionItems;
  merge_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
  CHECK(cudaGetLastError());
}
