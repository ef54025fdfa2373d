// expect: vec_add: wrong; right on a GPU
// The host adds, beside a kernel that adds as well, but not the inputs: those have never been on the device.
#include "vecadd.cuh"

__global__ void add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  if (n == 0) return;
  const auto bytes = static_cast<std::size_t>(n) * sizeof(float);
  float *a = nullptr, *c = nullptr;
  cudaMalloc(&a, 2 * bytes);
  cudaMalloc(&c, bytes);
  cudaMemset(a, 0, 2 * bytes);
  add_kernel<<<(n + 255) / 256, 256>>>(a, a + n, c, n);
  cudaMemcpy(c_h, c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(a);
  cudaFree(c);
  for (int i = 0; i < n; ++i) c_h[i] = a_h[i] + b_h[i];
}
