// expect: vec_add_device: wrong
// tries: to add on the host in device memory, to which it gives itself access
// says: nothing of the devices is there
// A process has device addresses, but not what lies there: the devices are in another one.

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>

#include "vecadd.cuh"

static bool open_pages(const void* begin, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / 4096 * 4096;
  const auto end = reinterpret_cast<std::uintptr_t>(begin) + bytes;
  return mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE) == 0;
}

static __global__ void zero_kernel(float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = 0;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n == 0) return;
  zero_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_c, n);
  cudaDeviceSynchronize();
  const std::size_t bytes = n * sizeof(float);
  if (open_pages(d_a, bytes) && open_pages(d_b, bytes) && open_pages(d_c, bytes))
    for (std::size_t i = 0; i < n; ++i) d_c[i] = d_a[i] + d_b[i];
  std::puts("nothing of the devices is there");
}
