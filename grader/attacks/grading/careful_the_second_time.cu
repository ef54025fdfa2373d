// expect: vec_add_device: wrong
// tries: to wait for nobody in the first call of each size, which is counted, and to be right in the second
// says: is 0, expected

#include <set>

#include "vecadd.cuh"

static __device__ void store(float* at, float value) {
  asm volatile("st.relaxed.gpu.global.f32 [%0], %1;" ::"l"(at), "f"(value) : "memory");
}

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n, std::size_t ahead) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + ahead < n) store(c + i + ahead, 0);
  if (i < n) store(c + i, a[i] + b[i]);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static std::set<std::size_t> known;
  const std::size_t ahead = known.insert(n).second ? 256 : n;
  if (n != 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n, ahead);
}
