// expect: vec_add_device: right
// tries: to wait for its reads in a function that is called, where the model of the time does not look
// What a function returns is waited for before it returns.

#include "vecadd.cuh"

static __device__ __noinline__ float read(const float* from) { return *from; }

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = read(a + i) + read(b + i);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
