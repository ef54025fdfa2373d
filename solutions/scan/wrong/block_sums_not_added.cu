// expect: inclusive_scan: wrong; misconception = "block sums not added"
// Each block is scanned by itself, and that is all.
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

void scan(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n) {
  const std::size_t blocks = (n + 255) / 256;
  std::uint32_t* d_sums = nullptr;
  cudaMalloc(&d_sums, blocks * sizeof(*d_sums));
  scan_blocks<<<blocks, 256>>>(d_in, d_out, d_sums, n);
  cudaFree(d_sums);
}

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  scan(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out), n);
}
