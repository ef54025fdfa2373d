// expect: vec_add_device: right; no points of fast
// One block goes through everything, however long the vectors are. One multiprocessor works, the others have nothing to
// do: what takes a few microseconds for two million elements takes a hundred times as long as it should for all sizes.
#include "vecadd.cuh"

namespace {

constexpr int kThreadsPerBlock = 1024;

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  for (std::size_t i = threadIdx.x; i < n; i += kThreadsPerBlock) c[i] = a[i] + b[i];
}

}  // namespace

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<1, kThreadsPerBlock>>>(d_a, d_b, d_c, n);
}
