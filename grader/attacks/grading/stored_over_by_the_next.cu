// expect: vec_add_device: wrong
// tries: to be right because the next block comes later, in stores of which atomicity makes no race
// says: is 0, expected

#include "vecadd.cuh"

static __device__ void store(float* at, float value) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(at), "f"(value) : "memory");
}

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + blockDim.x < n) store(c + i + blockDim.x, 0);
  if (i < n) store(c + i, a[i] + b[i]);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n != 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
