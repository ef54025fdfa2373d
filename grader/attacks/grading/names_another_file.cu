// expect: vec_add_device: refused by audit
// tries: to have findings quote a file of the machine, by giving its lines that name
// says: a file outside the lab and the toolkit
// To the audit it is a file that the compiler read. Reports quote what was handed in and nothing else.

#include "vecadd.cuh"

#line 1 "/etc/passwd"
static __global__ void beside_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
  if (i == 0) c[n] = 0;
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (n > 0) beside_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
