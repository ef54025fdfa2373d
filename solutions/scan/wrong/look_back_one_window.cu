// expect: inclusive_scan: wrong; misconception = "look-back stops after 32 blocks"
// A single warp-wide look at the 32 blocks before, whose sums are added whatever there is.
#include "scan.cuh"

#include <cuda/atomic>

using State = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, unsigned* next, unsigned long long* states,
                            std::size_t n) {
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
  if (t == 255) State(states[block]).store(1ull << 32 | s[t], cuda::memory_order_relaxed);
  if (t < 32) {
    const long long at = static_cast<long long>(block) - 1 - t;
    unsigned long long state = 1ull << 32;
    do {
      if (at >= 0) state = State(states[at]).load(cuda::memory_order_relaxed);
    } while (__any_sync(0xFFFFFFFF, state == 0));
    std::uint32_t sum = static_cast<std::uint32_t>(state);
    for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, d);
    if (t == 0) before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = before + s[t];
}

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const std::size_t blocks = (n + 255) / 256, bytes = (blocks + 1) * 8;
  unsigned long long* d_states = nullptr;
  cudaMalloc(&d_states, bytes);
  cudaMemset(d_states, 0, bytes);
  scan_blocks<<<blocks, 256>>>(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out),
                               reinterpret_cast<unsigned*>(d_states + blocks), d_states, n);
  cudaFree(d_states);
}
