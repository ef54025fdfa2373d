// expect: vec_add_device: right
// tries: to take over the instructor's terminal and page with 100 MB of control sequences
// Of what is printed a beginning is kept and made harmless; all of it is counted.

#include <unistd.h>

#include <string>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  static bool is_done = false;
  if (!is_done) {
    std::string text;
    while (text.size() < (1U << 20))
      text += "\033]0;mine\007\033[2J\033[31m<script>alert('x-attack')</script>\x9b\xff\r=cmd|'/c'!A0\n";
    for (int i = 0; i < 100; ++i) static_cast<void>(write(STDOUT_FILENO, text.data(), text.size()));
  }
  is_done = true;
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
