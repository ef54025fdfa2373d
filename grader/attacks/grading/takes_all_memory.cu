// expect: vec_add_device: right; memcheck
// tries: to leave no device memory for anybody else
// says: bytes of device memory, was never freed
// It is given back when the process ends, and that nobody freed it is said.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  void* taken = nullptr;
  for (std::size_t bytes = std::size_t{64} << 30; bytes >= (1U << 20); bytes /= 2)
    while (cudaMalloc(&taken, bytes) == cudaSuccess) {
    }
  cudaGetLastError();
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
