// expect: attention: refused by audit
// The lab is about writing the products, too: a call of cuBLAS, which lab.toml forbids.
#include <cublas_v2.h>

#include "attention.cuh"

void attention(const float* d_q, const float* d_k, const float* d_v, float* d_out, int heads, int n, int d) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  cublasSgemmStridedBatched(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, d, &one, d_k, d, size_t(n) * d, d_q, d,
                            size_t(n) * d, &zero, d_out, n, size_t(n) * n, heads);
}
