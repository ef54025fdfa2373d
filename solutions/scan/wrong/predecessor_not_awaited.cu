// expect: inclusive_scan: wrong; initcheck
// A chain of blocks that reads its predecessor's prefix once and does not wait. The accesses are volatile, so there is
// no race; the values are right as long as each block has ended when the next one begins.
#include "scan.cuh"

__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, unsigned* next,
                            volatile std::uint32_t* prefixes, std::size_t n) {
  __shared__ std::uint32_t s[256];
  __shared__ std::uint32_t block, before;
  const int t = threadIdx.x;
  if (t == 0) block = atomicAdd(next, 1);
  __syncthreads();
  const std::size_t i = std::size_t{block} * 256 + t;
  s[t] = i < n ? in[i] : 0;
  for (int stride = 1; stride < 256; stride *= 2) {
    __syncthreads();
    const std::uint32_t left = t >= stride ? s[t - stride] : 0;
    __syncthreads();
    s[t] += left;
  }
  if (t == 255) {
    before = block > 0 ? prefixes[block - 1] : 0;
    prefixes[block] = before + s[t];
  }
  __syncthreads();
  if (i < n) out[i] = before + s[t];
}

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const std::size_t blocks = (n + 255) / 256;
  unsigned* d_chain = nullptr;
  cudaMalloc(&d_chain, (blocks + 1) * sizeof(unsigned));
  cudaMemset(d_chain, 0, sizeof(unsigned));
  scan_blocks<<<blocks, 256>>>(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out),
                               d_chain, d_chain + 1, n);
  cudaFree(d_chain);
}
