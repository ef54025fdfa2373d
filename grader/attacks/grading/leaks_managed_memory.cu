// expect: vec_add_device: right; memcheck
// tries: to keep its memory without being told so, by a kind of memory that the host uses as well
// says: bytes of device memory, was never freed
// Whatever the program allocates, it is to free.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  void* kept = nullptr;
  cudaMallocManaged(&kept, 64);
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
