// expect: vec_add_device: cuda error; runtime
// tries: to free the output once it is right, so that there is nothing left to compare
// says: cudaFree was given d_c, which the program did not allocate
// What was handed out is not the submission's to free.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
  cudaDeviceSynchronize();
  cudaFree(d_c);
}
