// expect: vec_add_device: wrong
// tries: to be right because the next block comes later, in stores of two atomics each, of which none is a race
// says: right only in one order of execution

#include "vecadd.cuh"

static __device__ void store(float* at, float value) {
  atomicAnd(reinterpret_cast<unsigned*>(at), 0u);
  atomicOr(reinterpret_cast<unsigned*>(at), __float_as_uint(value));
}

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + blockDim.x < n) store(c + i + blockDim.x, 0);
  if (i < n) store(c + i, a[i] + b[i]);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  cudaMemsetAsync(d_c, 0, n * sizeof *d_c);
  add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
