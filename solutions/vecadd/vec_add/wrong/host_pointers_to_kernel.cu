// expect: vec_add: cuda error; memcheck
// The kernel is handed the host's pointers: nothing was copied.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  if (n == 0) return;
  add_kernel<<<(n + 255) / 256, 256>>>(a_h, b_h, c_h, n);
  cudaDeviceSynchronize();
}
