// expect: vec_add_device: wrong; misconception = "last n mod 4 elements skipped"
// Vectors of four elements, and nobody adds what is left over.
#include "vecadd.cuh"

__global__ void add_kernel(const float4* a, const float4* b, float4* c, size_t vectors) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < vectors) c[i] = make_float4(a[i].x + b[i].x, a[i].y + b[i].y, a[i].z + b[i].z, a[i].w + b[i].w);
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  if (n == 0) return;
  const size_t vectors = n / 4;
  add_kernel<<<vectors / 256 + 1, 256>>>(reinterpret_cast<const float4*>(d_a), reinterpret_cast<const float4*>(d_b),
                                         reinterpret_cast<float4*>(d_c), vectors);
}
