// expect: vec_add_device: wrong
// tries: to wait for nobody in the first call of each size, which is counted, and to be right in the second
// says: right only in one order of execution

#include <set>

#include "vecadd.cuh"

static __device__ void store(float* at, float value) {
  atomicAnd(reinterpret_cast<unsigned*>(at), 0u);
  atomicOr(reinterpret_cast<unsigned*>(at), __float_as_uint(value));
}

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n, std::size_t ahead) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i + ahead < n) store(c + i + ahead, 0);
  if (i < n) store(c + i, a[i] + b[i]);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static std::set<std::size_t> known;
  const std::size_t ahead = known.insert(n).second ? 256 : n;
  if (n == 0) return;
  cudaMemsetAsync(d_c, 0, n * sizeof *d_c);
  add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n, ahead);
}
