// expect: radix_sort: right
// One sweep a pass; each block looks back for what the blocks before it have counted.
// The differences next to it spoil it in one way each.
#include "radix_sort.cuh"

__global__ void count_digits(const std::uint32_t* keys, std::uint32_t* starts, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * 512 + threadIdx.x;
  if (i < n)
    for (int pass = 0; pass < 8; ++pass) atomicAdd(&starts[16 * pass + (keys[i] >> 4 * pass & 15)], 1u);
}

__global__ void scan_counts(std::uint32_t* starts) {
  std::uint32_t sum = 0;
  for (int digit = 0; digit < 16; ++digit) {
    const std::uint32_t count = starts[16 * threadIdx.x + digit];
    starts[16 * threadIdx.x + digit] = sum;
    sum += count;
  }
}

__global__ void sweep(const std::uint32_t* keys, std::uint32_t* out, const std::uint32_t* starts, unsigned* next_tile,
                      volatile std::uint32_t* states, std::size_t n, int shift) {
  __shared__ std::uint32_t sorted[512], offsets[16];
  __shared__ int warp_ones[16], begins[16], tile, counts[16];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  if (t == 0) tile = static_cast<int>(atomicAdd(next_tile, 1u));
  if (t < 16) counts[t] = 0;
  __syncthreads();
  const std::size_t first = std::size_t(tile) * 512;
  std::uint32_t key = first + t < n ? keys[first + t] : 0xFFFFFFFF;
  if (first + t < n) atomicAdd(&counts[key >> shift & 15], 1);
  for (int bit = shift; bit < shift + 4; ++bit) {
    const bool is_one = (key >> bit & 1) != 0;
    const unsigned ones = __ballot_sync(0xFFFFFFFF, is_one);
    if (lane == 0) warp_ones[warp] = __popc(ones);
    __syncthreads();
    int before = __popc(ones & ((1u << lane) - 1)), all = 0;
    for (int w = 0; w < 16; ++w) {
      if (w < warp) before += warp_ones[w];
      all += warp_ones[w];
    }
    sorted[is_one ? 512 - all + before : t - before] = key;
    __syncthreads();
    key = sorted[t];
  }
  const int digit = key >> shift & 15;
  if (t == 0 || (sorted[t - 1] >> shift & 15) != digit) begins[digit] = t;
  if (t < 16) {
    const std::uint32_t own = counts[t];
    if (tile > 0) states[16 * tile + t] = 1u << 30 | own;
    std::uint32_t before = 0;
    for (int at = tile - 1; at >= 0;) {
      const std::uint32_t state = states[16 * at + t];
      if (state == 0) continue;
      before += state & 0x3FFFFFFF;
      if (state >> 31 != 0) break;
      --at;
    }
    states[16 * tile + t] = 2u << 30 | (before + own);
    offsets[t] = starts[t] + before;
  }
  __syncthreads();
  if (first + t < n) out[offsets[digit] + (t - begins[digit])] = key;
}

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const unsigned tiles = static_cast<unsigned>((n + 511) / 512);
  std::uint32_t *d_other = nullptr, *d_starts = nullptr, *d_states = nullptr;
  cudaMalloc(&d_other, n * sizeof(std::uint32_t));
  cudaMalloc(&d_starts, 8 * 16 * sizeof(std::uint32_t));
  cudaMalloc(&d_states, (16 * tiles + 1) * sizeof(std::uint32_t));
  cudaMemset(d_starts, 0, 8 * 16 * sizeof(std::uint32_t));
  count_digits<<<tiles, 512>>>(d_in, d_starts, n);
  scan_counts<<<1, 8>>>(d_starts);
  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < 8; ++pass) {
    std::uint32_t* d_to = pass % 2 == 0 ? d_other : d_out;
    cudaMemset(d_states, 0, (16 * tiles + 1) * sizeof(std::uint32_t));
    sweep<<<tiles, 512>>>(d_from, d_to, d_starts + 16 * pass, d_states + 16 * tiles, d_states, n, 4 * pass);
    d_from = d_to;
  }
  cudaFree(d_other);
  cudaFree(d_starts);
  cudaFree(d_states);
}
