// expect: vec_add_device: right; no points of fast
// Pieces of 64 Ki elements, and a launch for each: the larger the vectors, the more launches, one after another.
#include "vecadd.cuh"

#include <algorithm>

namespace {

constexpr int kThreadsPerBlock = 256;
constexpr std::size_t kPiece = 1 << 16;

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

}  // namespace

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  for (std::size_t from = 0; from < n; from += kPiece) {
    const std::size_t items = std::min(kPiece, n - from);
    const std::size_t blocks = (items + kThreadsPerBlock - 1) / kThreadsPerBlock;
    add_kernel<<<static_cast<unsigned>(blocks), kThreadsPerBlock>>>(d_a + from, d_b + from, d_c + from, items);
  }
}
