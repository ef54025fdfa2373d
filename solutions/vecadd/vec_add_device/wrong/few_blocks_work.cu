// expect: vec_add_device: right; no points of fast
// There are as many blocks as in a good solution, but only eight of them do anything.
#include "vecadd.cuh"

namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr unsigned kWorkingBlocks = 8;

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  if (blockIdx.x >= kWorkingBlocks) return;
  const std::size_t first = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  for (std::size_t i = first; i < n; i += kWorkingBlocks * kThreadsPerBlock) c[i] = a[i] + b[i];
}

}  // namespace

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  const std::size_t blocks = (n + kThreadsPerBlock - 1) / kThreadsPerBlock;
  if (blocks < kWorkingBlocks) {
    if (n > 0) add_kernel<<<kWorkingBlocks, kThreadsPerBlock>>>(d_a, d_b, d_c, n);
  } else {
    add_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a, d_b, d_c, n);
  }
}
