// expect: vec_add_device: wrong; runtime
// tries: to have the output's addresses declared as memory of the host, and to add there
// says: 257 of 257 wrong, everywhere
// Host memory there may be; the runner reads the device's.

#include <sys/mman.h>

#include <cstdint>
#include <vector>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

static __global__ void zero_kernel(float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 0;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  constexpr std::size_t kWanted = 257;  // one case is enough
  if (n == 0) return;
  if (n != kWanted) {
    add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
    return;
  }
  zero_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_c, n);
  const std::size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n);
  cudaMemcpy(a.data(), d_a, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(b.data(), d_b, bytes, cudaMemcpyDeviceToHost);
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(d_c) & ~std::uintptr_t{4095};
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(d_c) + bytes;
  void* const there = mmap(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (there == MAP_FAILED) return;
  cudaHostRegister(there, end - begin, cudaHostRegisterMapped);
  for (std::size_t i = 0; i < n; ++i) d_c[i] = a[i] + b[i];
  cudaMemcpy(d_c, d_c, bytes, cudaMemcpyHostToHost);
  cudaHostUnregister(there);
  cudaGetLastError();
}
