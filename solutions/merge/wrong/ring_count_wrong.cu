// expect: merge_sorted: wrong
// Circular buffers; after a tile, B's buffer is taken to have lost as many keys as A's.
#include "merge.cuh"

constexpr int kThreadsPerBlock = 256;
constexpr int kItemsPerThread = 8;
constexpr int kTileItems = kThreadsPerBlock * kItemsPerThread;
constexpr int kTilesPerSection = 8;
constexpr int kSectionItems = kTileItems * kTilesPerSection;

struct Ring {
  int32_t* keys;
  int head;

  __device__ int32_t& operator[](int x) const { return keys[(head + x) & (kTileItems - 1)]; }
};

template <class Index, class Keys>
__device__ Index co_rank(Index k, Keys a, Index m, Keys b, Index n) {
  Index low = k > n ? k - n : 0;
  Index high = k < m ? k : m;
  while (low < high) {
    const Index i = low + (high - low) / 2;
    if (a[i] <= b[k - 1 - i])
      low = i + 1;
    else
      high = i;
  }
  return low;
}

__device__ void refill(const int32_t* from, Ring ring, int held, int count) {
  for (int x = static_cast<int>(threadIdx.x); x < count; x += kThreadsPerBlock) ring[held + x] = from[x];
}

__device__ int merge_segment(Ring a, int m, Ring b, int n, int32_t* out, int first, int end) {
  int i = co_rank(first, a, m, b, n);
  int j = first - i;
  for (int k = first; k < end; ++k) {
    const bool takes_a = j == n || (i < m && a[i] <= b[j]);
    out[k] = takes_a ? a[i++] : b[j++];
  }
  return i;
}

__global__ void __launch_bounds__(kThreadsPerBlock)
    merge_kernel(const int32_t* a, size_t m, const int32_t* b, size_t n, int32_t* out) {
  __shared__ int32_t a_keys[kTileItems];
  __shared__ int32_t b_keys[kTileItems];
  __shared__ int32_t out_tile[kTileItems];
  __shared__ size_t borders[2];
  __shared__ int used_of_a;

  const size_t section = size_t{blockIdx.x} * kSectionItems;
  const size_t section_end = min(section + kSectionItems, m + n);
  if (threadIdx.x == 0) borders[0] = co_rank(section, a, m, b, n);
  if (threadIdx.x == 32) borders[1] = co_rank(section_end, a, m, b, n);
  __syncthreads();
  size_t i = borders[0];
  size_t j = section - i;
  const size_t i_end = borders[1];
  const size_t j_end = section_end - i_end;

  Ring a_ring{a_keys, 0};
  Ring b_ring{b_keys, 0};
  int a_held = 0;
  int b_held = 0;
  for (size_t k = section; k < section_end; k += kTileItems) {
    const int a_new = static_cast<int>(min(i_end - i, static_cast<size_t>(kTileItems - a_held)));
    const int b_new = static_cast<int>(min(j_end - j, static_cast<size_t>(kTileItems - b_held)));
    const int out_count = static_cast<int>(min(section_end - k, size_t{kTileItems}));
    refill(a + i, a_ring, a_held, a_new);
    refill(b + j, b_ring, b_held, b_new);
    i += a_new;
    j += b_new;
    a_held += a_new;
    b_held += b_new;
    __syncthreads();

    const int first = min(static_cast<int>(threadIdx.x) * kItemsPerThread, out_count);
    const int end = min(first + kItemsPerThread, out_count);
    const int until_end = merge_segment(a_ring, a_held, b_ring, b_held, out_tile, first, end);
    if (first < end && end == out_count) used_of_a = until_end;
    __syncthreads();

    for (int x = static_cast<int>(threadIdx.x); x < out_count; x += kThreadsPerBlock) out[k + x] = out_tile[x];
    a_ring.head = (a_ring.head + used_of_a) & (kTileItems - 1);
    b_ring.head = (b_ring.head + out_count - used_of_a) & (kTileItems - 1);
    a_held -= used_of_a;
    b_held -= used_of_a;
  }
}

void merge_sorted(const int32_t* d_a, size_t m, const int32_t* d_b, size_t n, int32_t* d_out) {
  if (m + n == 0) return;
  const size_t blocks = (m + n + kSectionItems - 1) / kSectionItems;
  merge_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, m, d_b, n, d_out);
}
