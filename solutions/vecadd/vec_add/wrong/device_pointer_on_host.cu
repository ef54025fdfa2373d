// expect: vec_add: crash
// The loop of the sequential program, run by the CPU over device pointers.
#include "vecadd.cuh"

void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  if (n == 0) return;
  const size_t bytes = n * sizeof(float);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, bytes);
  cudaMalloc(&d_b, bytes);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, a_h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b_h, bytes, cudaMemcpyHostToDevice);
  for (int i = 0; i < n; ++i) d_c[i] = d_a[i] + d_b[i];
  cudaMemcpy(c_h, d_c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
