// expect: histogram_bytes: right; no points of fast
// Blocks add their private copies to the sums one after the other, each while it holds the only lock.
// The differences next to it take another kind of lock.
#include "histogram.cuh"

#include <cuda/atomic>

namespace {

using Word = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock == kByteBins, "a thread for each bin");
constexpr int kSharedBytes = 200 * 1024;  // room for one block on a multiprocessor: the fewer wait, the fewer look

__device__ unsigned lock;
__device__ unsigned tickets;

__device__ void take_lock() {
  unsigned free = 0;
  while (!Word(lock).compare_exchange_strong(free, 1, cuda::memory_order_acquire)) free = 0;
}

__device__ void give_lock() { Word(lock).store(0, cuda::memory_order_release); }

__global__ void count_kernel(const std::uint8_t* data, std::size_t n, std::uint32_t* bins) {
  __shared__ std::uint32_t mine[kByteBins];
  const int t = threadIdx.x;
  mine[t] = 0;
  __syncthreads();
  const std::size_t i = blockIdx.x * std::size_t{kThreadsPerBlock} + t;
  if (i < n) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  if (t == 0) take_lock();
  __syncthreads();
  if (mine[t] > 0) bins[t] += mine[t];
  __syncthreads();
  if (t == 0) give_lock();
}

}  // namespace

void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins) {
  cudaMemset(d_bins, 0, kByteBins * sizeof *d_bins);
  if (n == 0) return;
  const unsigned zero = 0;
  cudaMemcpyToSymbol(lock, &zero, sizeof zero);
  cudaMemcpyToSymbol(tickets, &zero, sizeof zero);
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  cudaFuncSetAttribute(count_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes);
  count_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock, kSharedBytes>>>(d_data, n, d_bins);
}
