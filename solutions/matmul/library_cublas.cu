// peer: cublasSgemm; needs: nvidia gpu
// What a user of cuBLAS calls. It thinks in columns: a row-major matrix is, to it, the transposed one. So it is asked
// for the transposed product, C' = B' A', which takes swapping the factors and no transposing. Its default arithmetic
// for float is float: TF32 would have to be asked for. Link with -lcublas. Not a submission: the lab forbids the
// library.
#include "matmul.cuh"

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

void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k) {
  if (m == 0 || n == 0) return;
  if (k == 0) {  // a row of A would be 0 floats long, which the library does not take for a length
    const cudaError_t status = cudaMemsetAsync(d_c, 0, sizeof(float) * m * n, nullptr);
    if (status != cudaSuccess) std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));
    return;
  }
  static cublasHandle_t handle = nullptr;  // made once: that takes longer than a product
  if (handle == nullptr) {
    CHECK_CUBLAS(cublasCreate(&handle));
    CHECK_CUBLAS(cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH));
  }
  const float one = 1;
  const float zero = 0;
  CHECK_CUBLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, d_b, n, d_a, k, &zero, d_c, n));
}
