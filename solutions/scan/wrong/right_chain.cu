// expect: inclusive_scan: right
// Each block waits for the sum of all blocks before it, in the order of their tickets.
// The differences next to it spoil it in one way each.
#include "scan.cuh"

#include <cuda/atomic>

using Flag = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, unsigned* next, unsigned* known,
                            std::uint32_t* prefixes, std::size_t n) {
  __shared__ std::uint32_t s[256];
  __shared__ unsigned block, before;
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
    std::uint32_t sum = 0;
    if (block > 0) {
      while (Flag(known[block - 1]).load(cuda::memory_order_acquire) == 0) {
      }
      sum = prefixes[block - 1];
    }
    prefixes[block] = sum + s[t];
    Flag(known[block]).store(1, cuda::memory_order_release);
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = before + s[t];
}

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const std::size_t blocks = (n + 255) / 256, bytes = (2 * blocks + 1) * sizeof(unsigned);
  unsigned* d_chain = nullptr;
  cudaMalloc(&d_chain, bytes);
  cudaMemset(d_chain, 0, bytes);
  scan_blocks<<<blocks, 256>>>(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out),
                               d_chain, d_chain + 1, d_chain + 1 + blocks, n);
  cudaFree(d_chain);
}
