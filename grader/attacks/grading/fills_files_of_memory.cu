// expect: vec_add_device: right
// tries: to take more memory than it may have, in files that exist in memory only and are not mapped
// says: 0 files of memory
// Where there is no GPU, whose driver needs them, there are none to be had.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static int files = 0;
  for (int i = 0; i < 8; ++i) {
    const int file = memfd_create("x", MFD_CLOEXEC);
    if (file < 0) continue;
    ++files;
    if (ftruncate(file, 32 << 20) != 0) continue;
    void* const all = mmap(nullptr, 32 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    if (all != MAP_FAILED) munmap(all, 32 << 20);
  }
  std::printf("%d files of memory\n", files);
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
