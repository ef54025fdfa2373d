// expect: vec_add_device: right
// tries: to cut the memory short that it shares with the grader, which then dies when it looks
// What it shares is sealed, and its descriptor closed.

#include <unistd.h>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  constexpr int kDescriptors = 1024;
  for (int descriptor = 0; descriptor < kDescriptors; ++descriptor) static_cast<void>(ftruncate(descriptor, 0));
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
