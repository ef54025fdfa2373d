// expect: transpose: refused by audit
// Right, but the library's work.
#include "transpose.cuh"

#include <cublas_v2.h>

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1, zero = 0;
  cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, d_in, cols, &zero, d_out, rows, d_out, rows);
  cublasDestroy(handle);
}
