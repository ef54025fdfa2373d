// expect: vec_add_device: refused by audit
// tries: to find functions of the runtime by an older version of dlsym, whose name has a suffix
// says: it calls 'dlsym', which a submission does not need
// Any version of a function is that function.

#include "vecadd.cuh"

#ifdef __CUDA_ARCH__
#elif defined(__aarch64__)
__asm__(".symver find_by_name, dlsym@GLIBC_2.17");
#else
__asm__(".symver find_by_name, dlsym@GLIBC_2.2.5");
#endif
extern "C" void* find_by_name(void* library, const char* name);

static __global__ void add_kernel(const float* a, const float* b, float* c, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n) {
  if (find_by_name(nullptr, "cudaDeviceSynchronize") == nullptr) return;
  if (n > 0) add_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(d_a, d_b, d_c, n);
}
