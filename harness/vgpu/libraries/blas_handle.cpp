// cuBLAS: handles and their settings, words for statuses, and copies of vectors and matrices.
#include <cstdint>

#include "harness/vgpu/libraries/blas_call.h"

using namespace vgpu::libraries;

namespace {

constexpr int kVersion = 130000;  // of the API that this is

/// A setting that a handle keeps.
int set(BlasHandle* handle, int BlasHandle::*setting, int value) {
  if (handle == nullptr) return kBlasNotInitialized;
  handle->*setting = value;
  return kBlasSuccess;
}
int get(const BlasHandle* handle, int BlasHandle::*setting, int* value) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (value == nullptr) return kBlasInvalidValue;
  *value = handle->*setting;
  return kBlasSuccess;
}

int status_of(cudaError_t error) { return error == cudaSuccess ? kBlasSuccess : 11; }  // CUBLAS_STATUS_MAPPING_ERROR

/// Vectors are rows of one element.
int copy_vector(int n, int bytes, const void* x, int incx, void* y, int incy, cudaMemcpyKind kind) {
  if (bytes <= 0 || incx <= 0 || incy <= 0) return kBlasInvalidValue;
  if (n <= 0) return kBlasSuccess;
  const auto width = static_cast<std::size_t>(bytes);
  if (incx == 1 && incy == 1)
    return status_of(copy_rows(y, width * n, x, width * n, width * static_cast<std::size_t>(n), 1, kind));
  return status_of(copy_rows(y, width * incy, x, width * incx, width, static_cast<std::size_t>(n), kind));
}
int copy_vector_in(cudaStream_t stream, int n, int bytes, const void* x, int incx, void* y, int incy,
                   cudaMemcpyKind kind) {
  if (bytes <= 0 || incx <= 0 || incy <= 0) return kBlasInvalidValue;
  if (n <= 0) return kBlasSuccess;
  const auto width = static_cast<std::size_t>(bytes);
  if (incx == 1 && incy == 1)
    return status_of(copy_rows_in(stream, y, width * n, x, width * n, width * static_cast<std::size_t>(n), 1, kind));
  return status_of(copy_rows_in(stream, y, width * incy, x, width * incx, width, static_cast<std::size_t>(n), kind));
}
int copy_matrix(cudaStream_t stream, bool in_stream, int rows, int columns, int bytes, const void* a, int lda, void* b,
                int ldb, cudaMemcpyKind kind) {
  if (rows < 0 || columns < 0 || bytes <= 0 || lda < rows || ldb < rows) return kBlasInvalidValue;
  if (rows == 0 || columns == 0) return kBlasSuccess;
  const auto width = static_cast<std::size_t>(bytes), height = static_cast<std::size_t>(columns);
  if (in_stream) return status_of(copy_rows_in(stream, b, width * ldb, a, width * lda, width * rows, height, kind));
  return status_of(copy_rows(b, width * ldb, a, width * lda, width * rows, height, kind));
}

}  // namespace

VGPU_LIBRARY_API int cublasCreate_v2(BlasHandle** handle) {
  if (handle == nullptr) return kBlasInvalidValue;
  *handle = new BlasHandle();
  return kBlasSuccess;
}
VGPU_LIBRARY_API int cublasDestroy_v2(BlasHandle* handle) {
  if (handle == nullptr) return kBlasNotInitialized;
  // Not for its stream alone, which may have been destroyed.
  const int status = status_of(wait_for_device());
  delete handle;
  return status;
}
VGPU_LIBRARY_API int cublasGetVersion_v2(BlasHandle*, int* version) {
  if (version == nullptr) return kBlasInvalidValue;
  *version = kVersion;
  return kBlasSuccess;
}
VGPU_LIBRARY_API int cublasGetProperty(int type, int* value) {
  if (value == nullptr || type < 0 || type > 2) return kBlasInvalidValue;
  *value = type == 0 ? kVersion / 10000 : 0;
  return kBlasSuccess;
}
VGPU_LIBRARY_API std::size_t cublasGetCudartVersion() { return CUDART_VERSION; }

VGPU_LIBRARY_API int cublasSetStream_v2(BlasHandle* handle, cudaStream_t stream) {
  if (handle == nullptr) return kBlasNotInitialized;
  handle->stream = stream;
  return kBlasSuccess;
}
VGPU_LIBRARY_API int cublasGetStream_v2(const BlasHandle* handle, cudaStream_t* stream) {
  if (handle == nullptr) return kBlasNotInitialized;
  if (stream == nullptr) return kBlasInvalidValue;
  *stream = handle->stream;
  return kBlasSuccess;
}
VGPU_LIBRARY_API int cublasSetPointerMode_v2(BlasHandle* handle, int mode) {
  return mode == 0 || mode == 1 ? set(handle, &BlasHandle::pointer_mode, mode) : kBlasInvalidValue;
}
VGPU_LIBRARY_API int cublasGetPointerMode_v2(const BlasHandle* handle, int* mode) {
  return get(handle, &BlasHandle::pointer_mode, mode);
}
/// Float is computed in float whatever the mode: no less exact than NVIDIA's TF32.
VGPU_LIBRARY_API int cublasSetMathMode(BlasHandle* handle, int mode) {
  return set(handle, &BlasHandle::math_mode, mode);
}
VGPU_LIBRARY_API int cublasGetMathMode(const BlasHandle* handle, int* mode) {
  return get(handle, &BlasHandle::math_mode, mode);
}
VGPU_LIBRARY_API int cublasSetAtomicsMode(BlasHandle* handle, int mode) {
  return set(handle, &BlasHandle::atomics_mode, mode);
}
VGPU_LIBRARY_API int cublasGetAtomicsMode(const BlasHandle* handle, int* mode) {
  return get(handle, &BlasHandle::atomics_mode, mode);
}
VGPU_LIBRARY_API int cublasSetSmCountTarget(BlasHandle* handle, int count) {
  return set(handle, &BlasHandle::sm_count_target, count);
}
VGPU_LIBRARY_API int cublasGetSmCountTarget(const BlasHandle* handle, int* count) {
  return get(handle, &BlasHandle::sm_count_target, count);
}
/// None is needed.
VGPU_LIBRARY_API int cublasSetWorkspace_v2(const BlasHandle* handle, void*, std::size_t) {
  return handle != nullptr ? kBlasSuccess : kBlasNotInitialized;
}

VGPU_LIBRARY_API const char* cublasGetStatusName(int status) {
  switch (status) {
    case kBlasSuccess:
      return "CUBLAS_STATUS_SUCCESS";
    case kBlasNotInitialized:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case kBlasAllocFailed:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case kBlasInvalidValue:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case 8:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case kBlasExecutionFailed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case kBlasNotSupported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 16:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return "CUBLAS_STATUS_UNKNOWN";
  }
}
VGPU_LIBRARY_API const char* cublasGetStatusString(int status) {
  switch (status) {
    case kBlasSuccess:
      return "the call succeeded";
    case kBlasNotInitialized:
      return "the handle was not created";
    case kBlasInvalidValue:
      return "an argument has an invalid value";
    case kBlasExecutionFailed:
      return "the work failed on the device";
    case kBlasNotSupported:
      return "this combination of arguments is not supported";
    default:
      return cublasGetStatusName(status);
  }
}

VGPU_LIBRARY_API int cublasSetVector(int n, int bytes, const void* x, int incx, void* y, int incy) {
  return copy_vector(n, bytes, x, incx, y, incy, cudaMemcpyHostToDevice);
}
VGPU_LIBRARY_API int cublasGetVector(int n, int bytes, const void* x, int incx, void* y, int incy) {
  return copy_vector(n, bytes, x, incx, y, incy, cudaMemcpyDeviceToHost);
}
VGPU_LIBRARY_API int cublasSetVectorAsync(int n, int bytes, const void* x, int incx, void* y, int incy,
                                          cudaStream_t stream) {
  return copy_vector_in(stream, n, bytes, x, incx, y, incy, cudaMemcpyHostToDevice);
}
VGPU_LIBRARY_API int cublasGetVectorAsync(int n, int bytes, const void* x, int incx, void* y, int incy,
                                          cudaStream_t stream) {
  return copy_vector_in(stream, n, bytes, x, incx, y, incy, cudaMemcpyDeviceToHost);
}
VGPU_LIBRARY_API int cublasSetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb) {
  return copy_matrix(nullptr, false, rows, columns, bytes, a, lda, b, ldb, cudaMemcpyHostToDevice);
}
VGPU_LIBRARY_API int cublasGetMatrix(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb) {
  return copy_matrix(nullptr, false, rows, columns, bytes, a, lda, b, ldb, cudaMemcpyDeviceToHost);
}
VGPU_LIBRARY_API int cublasSetMatrixAsync(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb,
                                          cudaStream_t stream) {
  return copy_matrix(stream, true, rows, columns, bytes, a, lda, b, ldb, cudaMemcpyHostToDevice);
}
VGPU_LIBRARY_API int cublasGetMatrixAsync(int rows, int columns, int bytes, const void* a, int lda, void* b, int ldb,
                                          cudaStream_t stream) {
  return copy_matrix(stream, true, rows, columns, bytes, a, lda, b, ldb, cudaMemcpyDeviceToHost);
}
