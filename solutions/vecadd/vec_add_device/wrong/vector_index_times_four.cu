// expect: vec_add_device: cuda error; memcheck; racecheck; misconception = "index of a vector multiplied by four"
// The index of a thread's first float is used as that of its vector.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, size_t n) {
  const size_t i = (size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < n) {
    const float4 x = ((const float4*)a)[i], y = ((const float4*)b)[i];
    ((float4*)c)[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  } else {
    for (size_t k = i; k < n; ++k) c[k] = a[k] + b[k];
  }
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  if (n == 0) return;
  add_kernel<<<n / 1024 + 1, 256>>>(d_a, d_b, d_c, n);
}
