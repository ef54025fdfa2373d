// expect: vec_add_device: right
// tries: to have its reads waited for in code that is never executed, so that those who use them find them there
// says: requests, global reads: 125,000
// A block of code finds under way what any of those leaves that may come before it, whatever stands between in the
// text.

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n)
    asm volatile(
        "{\n.reg .pred p;\n.reg .f32 x, y;\nsetp.ne.u64 p, %0, 0;\n"
        "ld.global.f32 x, [%0];\nld.global.f32 y, [%1];\n@p bra USE;\nbra NEVER;\n"
        "NEVER:\nadd.f32 x, x, y;\nadd.f32 x, x, y;\n"
        "USE:\nadd.f32 x, x, y;\nst.global.f32 [%2], x;\n}" ::"l"(a + i),
        "l"(b + i), "l"(c + i)
        : "memory");
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
