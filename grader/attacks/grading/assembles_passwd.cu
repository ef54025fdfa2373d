// expect: vec_add_device: compile error
// tries: to carry the system's list of users out as data
// says: file not found: /etc/passwd
// The file is not there where submissions are compiled.

#include <cstdio>

#include "vecadd.cuh"

asm(".section .rodata\nusers: .incbin \"/etc/passwd\"\n.byte 0\n.text\n");
extern "C" const char users[];

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  std::puts(users);
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
