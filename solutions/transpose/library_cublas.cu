// peer: cublasSgeam; needs: nvidia gpu
// What a user of cuBLAS calls. It adds two matrices, transposed or not: here alpha is 1 and beta is 0, so the second
// one is not read. The library thinks in columns, but a transpose is a transpose: to it, the input has `cols` rows, a
// column of which lies in memory without gaps, and the result has `rows`. Link with -lcublas. Not a submission: the lab
// forbids the library.
#include "transpose.cuh"

#include <cublas_v2.h>
#include <cstdio>

namespace {

#define CHECK_CUBLAS(call)                                                                               \
  do {                                                                                                   \
    const cublasStatus_t status = (call);                                                                \
    if (status != CUBLAS_STATUS_SUCCESS) {                                                               \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cublasGetStatusString(status)); \
      return;                                                                                            \
    }                                                                                                    \
  } while (false)

}  // namespace

void transpose(const float* d_in, float* d_out, int rows, int cols) {
  if (rows == 0 || cols == 0) return;
  static cublasHandle_t handle = nullptr;  // made once: that takes longer than a transpose
  if (handle == nullptr) CHECK_CUBLAS(cublasCreate(&handle));
  const float one = 1;
  const float zero = 0;
  CHECK_CUBLAS(
      cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, d_in, cols, &zero, d_out, rows, d_out, rows));
}
