// expect: inclusive_scan: wrong; initcheck; racecheck
// Warps read the sums of the others without waiting for them.
#include "scan.cuh"

__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, std::uint32_t* sums, std::size_t n) {
  __shared__ std::uint32_t warp_sums[8];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const std::size_t i = std::size_t{blockIdx.x} * 256 + t;
  std::uint32_t x = i < n ? in[i] : 0;
  for (int stride = 1; stride < 32; stride *= 2) {
    const std::uint32_t left = __shfl_up_sync(0xFFFFFFFF, x, stride);
    if (lane >= stride) x += left;
  }
  if (lane == 31) warp_sums[warp] = x;
  for (int w = 0; w < warp; ++w) x += warp_sums[w];
  if (i < n) out[i] = x;
  if (t == 255) sums[blockIdx.x] = x;
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
