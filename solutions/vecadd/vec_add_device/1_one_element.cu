// Step 1 of vec_add_device: one element per thread.
// Idea      as many threads as elements; the index replaces the loop.
// Gain      the yardstick of the ladder: 3.5 TB/s on an H200, where a copy reaches 4.3.
// Traffic   12 bytes per element: two reads and one write. One flop: only memory matters.
// Wastes    a thread has 8 bytes in flight from memory, the 2048 threads of a multiprocessor 16 KiB. An H200 needs
//           about 48 KiB in flight on each (the figure that CUB is tuned to) to keep its memory busy all the time.
#include "vecadd.cuh"

namespace {

constexpr int kThreadsPerBlock = 256;
static_assert(kThreadsPerBlock % 32 == 0, "a block is made of whole warps of 32 threads");

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i =
      std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;  // 0 ... n - 1, and idle threads beyond
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;  // a grid of no blocks is an error
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  add_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, d_b, d_c, n);
  CHECK(cudaGetLastError());
}
