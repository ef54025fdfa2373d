// expect: radix_sort: right
// One bit a pass; a scan of the ones says where each key goes.
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

__global__ void write_bits(const std::uint32_t* keys, std::uint32_t* ones, std::size_t n, int bit) {
  const std::size_t i = std::size_t{blockIdx.x} * 512 + threadIdx.x;
  if (i <= n) ones[i] = i < n ? keys[i] >> bit & 1 : 0;
}

__global__ void scatter(const std::uint32_t* keys, const std::uint32_t* ones, std::uint32_t* out, std::size_t n,
                        int bit) {
  const std::size_t i = std::size_t{blockIdx.x} * 512 + threadIdx.x;
  if (i >= n) return;
  const std::uint32_t key = keys[i];
  const std::size_t zeros = n - ones[n];
  const std::size_t place = (key >> bit & 1) != 0 ? zeros + ones[i] : i - ones[i];
  out[place] = key;
}

void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const unsigned blocks = static_cast<unsigned>(n / 512 + 1);
  std::uint32_t *d_other = nullptr, *d_ones = nullptr;
  cudaMalloc(&d_other, n * sizeof(std::uint32_t));
  cudaMalloc(&d_ones, (n + 1) * sizeof(std::uint32_t));
  const std::uint32_t* d_from = d_in;
  for (int bit = 0; bit < 32; ++bit) {
    std::uint32_t* d_to = bit % 2 == 0 ? d_other : d_out;
    write_bits<<<blocks, 512>>>(d_from, d_ones, n, bit);
    exclusive_scan(d_ones, n + 1);
    scatter<<<blocks, 512>>>(d_from, d_ones, d_to, n, bit);
    d_from = d_to;
  }
  cudaFree(d_other);
  cudaFree(d_ones);
}
