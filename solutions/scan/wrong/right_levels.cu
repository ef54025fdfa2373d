// expect: inclusive_scan: right
// Blocks scan their parts, the sums of the blocks are scanned in turn, and added.
// The differences next to it spoil it in one way each.
#include "scan.cuh"

__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* sums, std::size_t n) {
  __shared__ std::uint32_t s[256];
  const int t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 256 + t;
  s[t] = i < n ? in[i] : 0;
  for (int stride = 1; stride < 256; stride *= 2) {
    __syncthreads();
    const std::uint32_t left = t >= stride ? s[t - stride] : 0;
    __syncthreads();
    s[t] += left;
  }
  if (i < n) out[i] = s[t];
  if (t == 255) sums[blockIdx.x] = s[t];
}

__global__ void add_sums(std::uint32_t* out, const std::uint32_t* sums, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i < n && blockIdx.x > 0) out[i] += sums[blockIdx.x - 1];
}

void scan(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  const std::size_t blocks = (n + 255) / 256;
  std::uint32_t* d_sums = nullptr;
  cudaMalloc(&d_sums, blocks * sizeof(*d_sums));
  scan_blocks<<<blocks, 256>>>(d_in, d_out, d_sums, n);
  if (blocks > 1) {
    scan(d_sums, d_sums, blocks);
    add_sums<<<blocks, 256>>>(d_out, d_sums, n);
  }
  cudaFree(d_sums);
}

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  scan(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out), n);
}
