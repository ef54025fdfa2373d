// expect: vec_add_device: crash
// tries: to die by a signal once the output is right, before anybody looks
// says: host code was terminated by SIGKILL
// Outputs of a worker that died are not looked at.

#include <csignal>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
  cudaDeviceSynchronize();
  std::raise(SIGKILL);
}
