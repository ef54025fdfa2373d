// expect: vec_add_device: right
// tries: to leave the device slower, fuller or waiting differently for those who come after
// Limits and flags end with the process, and timing sets its own.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync);
  cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10);
  cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::size_t{1} << 30);
  cudaDeviceSetLimit(cudaLimitPrintfFifoSize, std::size_t{1} << 28);
  cudaGetLastError();  // of those that this runtime does not know
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
