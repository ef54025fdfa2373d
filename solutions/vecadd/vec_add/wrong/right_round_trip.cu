// expect: vec_add: right
// Copies in, one kernel, copy back.
// The differences next to it spoil it in one way each.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  if (n == 0) return;
  const size_t bytes = n * sizeof(float);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_b, bytes);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, a_h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b_h, bytes, cudaMemcpyHostToDevice);
  add_kernel<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  cudaMemcpy(c_h, d_c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
