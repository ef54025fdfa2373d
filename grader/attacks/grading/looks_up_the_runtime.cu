// expect: vec_add_device: refused by audit
// tries: to find functions of the runtime by name and change what they do
// says: it calls 'dlsym', which a submission does not need
// dlopen and dlsym are calls that no submission has a need for.

#include <dlfcn.h>

#include "vecadd.cuh"

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  void* const wait = dlsym(dlopen(nullptr, RTLD_NOW), "cudaDeviceSynchronize");
  if (wait == nullptr) return;
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
