// expect: vec_add: wrong
// The host adds, beside a kernel that has nothing to do: the sums are right, and no kernel has computed them.
#include "vecadd.cuh"

__global__ void add_kernel(float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sums[i] = 0;
}

void vec_add(const float* a_h, const float* b_h, float* c_h, int n) {
  if (n == 0) return;
  const auto bytes = static_cast<std::size_t>(n) * sizeof(float);
  float* sums = nullptr;
  cudaMalloc(&sums, bytes);
  add_kernel<<<(n + 255) / 256, 256>>>(sums, n);
  cudaMemcpy(c_h, sums, bytes, cudaMemcpyDeviceToHost);
  cudaFree(sums);
  for (int i = 0; i < n; ++i) c_h[i] = a_h[i] + b_h[i];
}
