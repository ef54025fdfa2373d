// expect: inclusive_scan: wrong; misconception = "only the first block computed"
// The grid has a single block.
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

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  std::uint32_t* d_sums = nullptr;
  cudaMalloc(&d_sums, sizeof(*d_sums));
  scan_blocks<<<1, 256>>>(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out), d_sums,
                          n);
  cudaFree(d_sums);
}
