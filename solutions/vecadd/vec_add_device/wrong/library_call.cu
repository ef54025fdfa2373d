// expect: vec_add_device: refused by audit
// The lab is about writing the kernel: a call of cuBLAS, which lab.toml forbids.
#include "vecadd.cuh"

#include <cublas_v2.h>

void vec_add_device(const float* d_a, const float* d_b, float* d_c, size_t n) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasScopy(handle, static_cast<int>(n), d_b, 1, d_c, 1);
  const float one = 1;
  cublasSaxpy(handle, static_cast<int>(n), &one, d_a, 1, d_c, 1);
  cublasDestroy(handle);
}
