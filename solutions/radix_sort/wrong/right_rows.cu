// expect: radix_sort: right
// Eight bits a pass; each block takes a row of tiles, one after the other.
// The differences next to it spoil it in one way each.
#include <algorithm>

#include "radix_sort.cuh"

__global__ void scan_blocks(std::uint32_t* numbers, std::uint32_t* sums, std::size_t count) {
  __shared__ std::uint32_t warp_sums[16];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::size_t i = std::size_t{blockIdx.x} * 512 + t;
  const std::uint32_t number = i < count ? numbers[i] : 0;
  std::uint32_t through = number;
  for (int stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(0xFFFFFFFF, through, stride);
    if (lane >= stride) through += left;
  }
  if (lane == 31) warp_sums[warp] = through;
  __syncthreads();
  std::uint32_t before = 0;
  for (int w = 0; w < warp; ++w) before += warp_sums[w];
  if (i < count) numbers[i] = before + through - number;
  if (t == 511) sums[blockIdx.x] = before + through;
}

__global__ void add_sums(std::uint32_t* numbers, const std::uint32_t* sums, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * 512 + threadIdx.x;
  if (i < count) numbers[i] += sums[blockIdx.x];
}

void exclusive_scan(std::uint32_t* d_numbers, std::size_t count) {
  const unsigned blocks = static_cast<unsigned>((count + 511) / 512);
  std::uint32_t* d_sums = nullptr;
  cudaMallocAsync(&d_sums, blocks * sizeof(std::uint32_t), nullptr);
  scan_blocks<<<blocks, 512>>>(d_numbers, d_sums, count);
  if (blocks > 1) {
    exclusive_scan(d_sums, blocks);
    add_sums<<<blocks, 512>>>(d_numbers, d_sums, count);
  }
  cudaFreeAsync(d_sums, nullptr);
}

__global__ void count_digits(const std::uint32_t* keys, std::uint32_t* table, std::size_t n, int shift) {
  __shared__ std::uint32_t counts[256];
  const int t = threadIdx.x;
  counts[t] = 0;
  __syncthreads();
  const std::size_t tiles = (n + 4095) / 4096;
  const std::size_t end = min(n, tiles * (blockIdx.x + 1) / gridDim.x * 4096);
  for (std::size_t i = tiles * blockIdx.x / gridDim.x * 4096 + t; i < end; i += 256)
    atomicAdd(&counts[keys[i] >> shift & 255], 1u);
  __syncthreads();
  table[std::size_t(t) * gridDim.x + blockIdx.x] = counts[t];
}

__global__ void scatter(const std::uint32_t* in, const std::uint32_t* table, std::uint32_t* out, std::size_t n,
                        int shift) {
  __shared__ std::uint32_t tile[4096], counters[8][256], offsets[256], warp_sums[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::size_t tiles = (n + 4095) / 4096;
  const std::size_t end = min(n, tiles * (blockIdx.x + 1) / gridDim.x * 4096);
  std::uint32_t next = table[std::size_t(t) * gridDim.x + blockIdx.x];
  for (std::size_t first = tiles * blockIdx.x / gridDim.x * 4096; first < end; first += 4096) {
    const int count = static_cast<int>(min(end - first, std::size_t{4096}));
    std::uint32_t keys[16], ranks[16];
    for (int v = 0; v < 16; ++v) {
      const int at = warp * 512 + v * 32 + lane;
      keys[v] = at < count ? in[first + at] : 0xFFFFFFFF;
    }
    for (int d = lane; d < 256; d += 32) counters[warp][d] = 0;
    __syncwarp();
    for (int v = 0; v < 16; ++v) {
      const int digit = keys[v] >> shift & 255;
      const unsigned peers = __match_any_sync(0xFFFFFFFF, digit);
      const unsigned peers_before = peers & ((1u << lane) - 1);
      const std::uint32_t counter = counters[warp][digit];
      ranks[v] = counter + __popc(peers_before);
      __syncwarp();
      if (peers_before == 0) counters[warp][digit] = counter + __popc(peers);
      __syncwarp();
    }
    __syncthreads();
    std::uint32_t total = 0;
    for (int w = 0; w < 8; ++w) {
      const std::uint32_t of_warp = counters[w][t];
      counters[w][t] = total;
      total += of_warp;
    }
    std::uint32_t start = total;
    for (int stride = 1; stride < 32; stride *= 2) {
      const std::uint32_t left = __shfl_up_sync(0xFFFFFFFF, start, stride);
      if (lane >= stride) start += left;
    }
    if (lane == 31) warp_sums[warp] = start;
    __syncthreads();
    for (int w = 0; w < warp; ++w) start += warp_sums[w];
    start -= total;
    for (int w = 0; w < 8; ++w) counters[w][t] += start;
    offsets[t] = next - start;
    next += total;
    __syncthreads();
    for (int v = 0; v < 16; ++v) tile[counters[warp][keys[v] >> shift & 255] + ranks[v]] = keys[v];
    __syncthreads();
    for (int x = t; x < count; x += 256) out[offsets[tile[x] >> shift & 255] + x] = tile[x];
    __syncthreads();
  }
}

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const unsigned blocks = static_cast<unsigned>(std::min((n + 8191) / 8192, std::size_t{396}));
  std::uint32_t *d_other = nullptr, *d_table = nullptr;
  cudaMalloc(&d_other, n * sizeof(std::uint32_t));
  cudaMalloc(&d_table, 256 * blocks * sizeof(std::uint32_t));
  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < 4; ++pass) {
    std::uint32_t* d_to = pass % 2 == 0 ? d_other : d_out;
    count_digits<<<blocks, 256>>>(d_from, d_table, n, 8 * pass);
    exclusive_scan(d_table, 256 * std::size_t{blocks});
    scatter<<<blocks, 256>>>(d_from, d_table, d_to, n, 8 * pass);
    d_from = d_to;
  }
  cudaFree(d_other);
  cudaFree(d_table);
}
