// expect: radix_sort: right
// Four bits a pass; each block sorts its tile by the digit before it scatters the keys.
// The differences next to it spoil it in one way each.
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
  __shared__ std::uint32_t counts[16];
  const int t = threadIdx.x;
  if (t < 16) counts[t] = 0;
  __syncthreads();
  const std::size_t i = std::size_t{blockIdx.x} * 512 + t;
  if (i < n) atomicAdd(&counts[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (t < 16) table[std::size_t(t) * gridDim.x + blockIdx.x] = counts[t];
}

__global__ void scatter(const std::uint32_t* keys, const std::uint32_t* table, std::uint32_t* out, std::size_t n,
                        int shift) {
  __shared__ std::uint32_t tile[512];
  __shared__ int warp_ones[16], starts[16];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::size_t first = std::size_t{blockIdx.x} * 512;
  std::uint32_t key = first + t < n ? keys[first + t] : 0xFFFFFFFF;
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
    tile[is_one ? 512 - all + before : t - before] = key;
    __syncthreads();
    key = tile[t];
  }
  const int digit = key >> shift & 15;
  if (t == 0 || (tile[t - 1] >> shift & 15) != digit) starts[digit] = t;
  __syncthreads();
  if (first + t < n) out[table[std::size_t(digit) * gridDim.x + blockIdx.x] + (t - starts[digit])] = key;
}

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const unsigned blocks = static_cast<unsigned>((n + 511) / 512);
  std::uint32_t *d_other = nullptr, *d_table = nullptr;
  cudaMalloc(&d_other, n * sizeof(std::uint32_t));
  cudaMalloc(&d_table, 16 * blocks * sizeof(std::uint32_t));
  const std::uint32_t* d_from = d_in;
  for (int pass = 0; pass < 8; ++pass) {
    std::uint32_t* d_to = pass % 2 == 0 ? d_other : d_out;
    count_digits<<<blocks, 512>>>(d_from, d_table, n, 4 * pass);
    exclusive_scan(d_table, 16 * std::size_t{blocks});
    scatter<<<blocks, 512>>>(d_from, d_table, d_to, n, 4 * pass);
    d_from = d_to;
  }
  cudaFree(d_other);
  cudaFree(d_table);
}
