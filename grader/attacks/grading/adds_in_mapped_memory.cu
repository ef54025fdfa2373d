// expect: vec_add_device: right; under review
// tries: to add on the host, in pinned memory that kernels fill and empty
// says: is the work done on the host?
// Memory that host and kernels can both reach counts as if it were copied.

#include "vecadd.cuh"

static __global__ void copy_kernel(const float* from, float* to, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  float* sums = nullptr;
  cudaMallocHost(&sums, 2 * n * sizeof(float));
  copy_kernel<<<blocks, 256>>>(d_a, sums, n);
  copy_kernel<<<blocks, 256>>>(d_b, sums + n, n);
  cudaDeviceSynchronize();
  for (std::size_t i = 0; i < n; ++i) sums[i] += sums[n + i];
  copy_kernel<<<blocks, 256>>>(sums, d_c, n);
  cudaDeviceSynchronize();
  cudaFreeHost(sums);
}
