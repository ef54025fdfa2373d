// expect: vec_add_device: exit
// tries: to run while its symbols are resolved, before any constructor is looked for
// says: ended the whole program with exit code 0
// The worker is locked down before it loads anything, and its end is no answer.

#include <unistd.h>

#include "vecadd.cuh"

extern "C" {
static void step() {}
__attribute__((used)) static void* choose_step() {
  _exit(0);
  return reinterpret_cast<void*>(step);
}
void chosen_step();
}
asm(".globl chosen_step\n.type chosen_step, @gnu_indirect_function\n.set chosen_step, choose_step\n");

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  chosen_step();
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
