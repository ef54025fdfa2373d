// expect: matmul: refused by audit
// The lab is about writing the kernel: a call of cuBLAS, which lab.toml forbids.
#include "matmul.cuh"

#include <cublas_v2.h>

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1;
  const float zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, d_b, n, d_a, k, &zero, d_c, n);
  cublasDestroy(handle);
}
