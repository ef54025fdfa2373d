// expect: inclusive_scan: time limit; runtime
// One kernel, in which every block tells its sum and then waits for all blocks. Those that wait keep their places;
// where not all blocks fit on the device at a time, the others never begin.
#include "scan.cuh"

#include <cuda/atomic>

using Count = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

__global__ void scan_blocks(const std::uint32_t* in, std::uint32_t* out, unsigned* arrived, std::uint32_t* sums,
                            std::size_t n) {
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
  if (t == 255) {
    sums[blockIdx.x] = s[t];
    Count(*arrived).fetch_add(1, cuda::memory_order_release);
    while (Count(*arrived).load(cuda::memory_order_acquire) < gridDim.x) {
    }
  }
  __syncthreads();
  std::uint32_t before = 0;
  for (unsigned b = 0; b < blockIdx.x; ++b) before += sums[b];
  if (i < n) out[i] = before + s[t];
}

void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n) {
  if (n == 0) return;
  const std::size_t blocks = (n + 255) / 256, bytes = (blocks + 1) * sizeof(unsigned);
  unsigned* d_sums = nullptr;
  cudaMalloc(&d_sums, bytes);
  cudaMemset(d_sums, 0, bytes);
  scan_blocks<<<blocks, 256>>>(reinterpret_cast<const std::uint32_t*>(d_in), reinterpret_cast<std::uint32_t*>(d_out),
                               d_sums + blocks, d_sums, n);
  cudaFree(d_sums);
}
