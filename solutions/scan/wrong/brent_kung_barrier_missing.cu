// expect: inclusive_scan: wrong; racecheck
// The levels of the tree downwards follow one another without a barrier.
#include "scan.cuh"

__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* sums, std::size_t n) {
  __shared__ std::uint32_t s[512];
  const int t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 512 + t, k = i + 256;
  s[t] = i < n ? in[i] : 0;
  s[t + 256] = k < n ? in[k] : 0;
  for (int stride = 1; stride < 512; stride *= 2) {
    __syncthreads();
    const int at = (t + 1) * 2 * stride - 1;
    if (at < 512) s[at] += s[at - stride];
  }
  for (int stride = 128; stride > 0; stride /= 2) {
    const int at = (t + 1) * 2 * stride - 1;
    if (at + stride < 512) s[at + stride] += s[at];
  }
  __syncthreads();
  if (i < n) out[i] = s[t];
  if (k < n) out[k] = s[t + 256];
  if (t == 0) sums[blockIdx.x] = s[511];
}

__global__ void add_sums(std::uint32_t* out, const std::uint32_t* sums, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * 512 + threadIdx.x;
  if (blockIdx.x == 0) return;
  if (i < n) out[i] += sums[blockIdx.x - 1];
  if (i + 256 < n) out[i + 256] += sums[blockIdx.x - 1];
}

void scan(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  const std::size_t blocks = (n + 511) / 512;
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
