// expect: vec_add_device: wrong; runtime
// A block of 2048 threads, which no device launches. Somebody asks for the error, and throws it away: what is left to
// see is that nothing was written, and the verdict has to say why.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  add_kernel<<<static_cast<unsigned>((n + 2047) / 2048), 2048>>>(d_a, d_b, d_c, n);
  cudaGetLastError();
}
