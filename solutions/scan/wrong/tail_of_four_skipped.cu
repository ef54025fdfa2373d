// expect: inclusive_scan: wrong; misconception = "last n mod 4 elements skipped"
// Numbers move in groups of four, and nobody takes care of the one to three after the last group.
#include "scan.cuh"

__global__ void scan_fours(const uint4* in, uint4* out, std::uint32_t* sums, std::size_t fours) {
  __shared__ std::uint32_t s[256];
  const int t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * 256 + t;
  uint4 x = i < fours ? in[i] : make_uint4(0, 0, 0, 0);
  x.y += x.x;
  x.z += x.y;
  x.w += x.z;
  s[t] = x.w;
  for (int stride = 1; stride < 256; stride *= 2) {
    __syncthreads();
    const std::uint32_t left = t >= stride ? s[t - stride] : 0;
    __syncthreads();
    s[t] += left;
  }
  const std::uint32_t before = s[t] - x.w;
  if (i < fours) out[i] = make_uint4(before + x.x, before + x.y, before + x.z, before + x.w);
  if (t == 255) sums[blockIdx.x] = s[t];
}

__global__ void add_to_fours(uint4* out, const std::uint32_t* sums, std::size_t fours) {
  const std::size_t i = std::size_t{blockIdx.x} * 256 + threadIdx.x;
  if (i >= fours || blockIdx.x == 0) return;
  const std::uint32_t before = sums[blockIdx.x - 1];
  const uint4 x = out[i];
  out[i] = make_uint4(before + x.x, before + x.y, before + x.z, before + x.w);
}

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
  const std::size_t fours = n / 4, blocks = (fours + 255) / 256;
  if (fours == 0) return;
  std::uint32_t* d_sums = nullptr;
  cudaMalloc(&d_sums, blocks * sizeof(*d_sums));
  scan_fours<<<blocks, 256>>>(reinterpret_cast<const uint4*>(d_in), reinterpret_cast<uint4*>(d_out), d_sums, fours);
  scan(d_sums, d_sums, blocks);
  add_to_fours<<<blocks, 256>>>(reinterpret_cast<uint4*>(d_out), d_sums, fours);
  cudaFree(d_sums);
}
