// cuSPARSE: handles, descriptors, and words for statuses.
#include "harness/vgpu/libraries/sparse_matrix.h"

using namespace vgpu::libraries;

namespace {

constexpr int kVersion = 12603;

bool is_type(int type) { return type >= 0 && type <= 33; }  // of cudaDataType

int create(SparseMatrix** matrix, const SparseMatrix& made, int second_index_type) {
  if (matrix == nullptr || made.rows < 0 || made.columns < 0 || made.count < 0) return kSparseInvalidValue;
  if (static_cast<double>(made.count) > static_cast<double>(made.rows) * static_cast<double>(made.columns))
    return kSparseInvalidValue;
  for (const int type : {made.index_type, second_index_type})
    if (type < kIndex16 || type > kIndex64) return kSparseInvalidValue;
  if (made.base < 0 || made.base > 1 || !is_type(made.type)) return kSparseInvalidValue;
  if (made.index_type == kIndex16 || made.index_type != second_index_type) return kSparseNotSupported;
  *matrix = new SparseMatrix(made);
  return kSparseSuccess;
}
int get(const SparseMatrix* matrix, int format, std::int64_t* rows, std::int64_t* columns, std::int64_t* count,
        void** major, void** minor, void** values, int* index_type, int* base, int* type) {
  if (matrix == nullptr || matrix->format != format) return kSparseInvalidValue;
  for (const void* to : {static_cast<void*>(rows), static_cast<void*>(columns), static_cast<void*>(count),
                         static_cast<void*>(major), static_cast<void*>(minor), static_cast<void*>(values),
                         static_cast<void*>(index_type), static_cast<void*>(base), static_cast<void*>(type)})
    if (to == nullptr) return kSparseInvalidValue;
  *rows = matrix->rows;
  *columns = matrix->columns;
  *count = matrix->count;
  *major = matrix->major;
  *minor = matrix->minor;
  *values = matrix->values;
  *index_type = matrix->index_type;
  *base = matrix->base;
  *type = matrix->type;
  return kSparseSuccess;
}
int set_pointers(SparseMatrix* matrix, int format, void* major, void* minor, void* values) {
  if (matrix == nullptr || matrix->format != format) return kSparseInvalidValue;
  matrix->major = major;
  matrix->minor = minor;
  matrix->values = values;
  return kSparseSuccess;
}

/// For any of the descriptors.
template <class Descriptor>
int get_values(const Descriptor* of, void** values) {
  if (of == nullptr || values == nullptr) return kSparseInvalidValue;
  *values = of->values;
  return kSparseSuccess;
}
template <class Descriptor>
int set_values(Descriptor* of, void* values) {
  if (of == nullptr) return kSparseInvalidValue;
  of->values = values;
  return kSparseSuccess;
}
template <class Descriptor>
int destroy(const Descriptor* descriptor) {
  delete descriptor;
  return kSparseSuccess;
}

template <class T>
int put(T* to, T value) {
  if (to == nullptr) return kSparseInvalidValue;
  *to = value;
  return kSparseSuccess;
}

}  // namespace

VGPU_LIBRARY_API int cusparseCreate(SparseHandle** handle) {
  if (handle == nullptr) return kSparseInvalidValue;
  *handle = new SparseHandle();
  return kSparseSuccess;
}
VGPU_LIBRARY_API int cusparseDestroy(SparseHandle* handle) {
  // Not for its stream alone, which may have been destroyed.
  if (handle != nullptr && wait_for_device() != cudaSuccess) {
    delete handle;
    return kSparseExecutionFailed;
  }
  delete handle;
  return kSparseSuccess;
}
VGPU_LIBRARY_API int cusparseGetVersion(const SparseHandle* handle, int* version) {
  return handle != nullptr ? put(version, kVersion) : kSparseInvalidValue;
}
VGPU_LIBRARY_API int cusparseGetProperty(int type, int* value) {
  constexpr int kParts[] = {kVersion / 1000, kVersion / 100 % 10, kVersion % 100};
  return type >= 0 && type <= 2 ? put(value, kParts[type]) : kSparseInvalidValue;
}
VGPU_LIBRARY_API int cusparseSetStream(SparseHandle* handle, cudaStream_t stream) {
  if (handle == nullptr) return kSparseInvalidValue;
  handle->stream = stream;
  return kSparseSuccess;
}
VGPU_LIBRARY_API int cusparseGetStream(const SparseHandle* handle, cudaStream_t* stream) {
  return handle != nullptr ? put(stream, handle->stream) : kSparseInvalidValue;
}
VGPU_LIBRARY_API int cusparseSetPointerMode(SparseHandle* handle, int mode) {
  if (handle == nullptr || mode < 0 || mode > 1) return kSparseInvalidValue;
  handle->pointer_mode = mode;
  return kSparseSuccess;
}
VGPU_LIBRARY_API int cusparseGetPointerMode(const SparseHandle* handle, int* mode) {
  return handle != nullptr ? put(mode, handle->pointer_mode) : kSparseInvalidValue;
}

VGPU_LIBRARY_API const char* cusparseGetErrorName(int status) {
  static constexpr const char* kNames[] = {"CUSPARSE_STATUS_SUCCESS",
                                           "CUSPARSE_STATUS_NOT_INITIALIZED",
                                           "CUSPARSE_STATUS_ALLOC_FAILED",
                                           "CUSPARSE_STATUS_INVALID_VALUE",
                                           "CUSPARSE_STATUS_ARCH_MISMATCH",
                                           "CUSPARSE_STATUS_MAPPING_ERROR",
                                           "CUSPARSE_STATUS_EXECUTION_FAILED",
                                           "CUSPARSE_STATUS_INTERNAL_ERROR",
                                           "CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
                                           "CUSPARSE_STATUS_ZERO_PIVOT",
                                           "CUSPARSE_STATUS_NOT_SUPPORTED",
                                           "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES"};
  return status >= 0 && status < 12 ? kNames[status] : "unrecognized error code";
}
VGPU_LIBRARY_API const char* cusparseGetErrorString(int status) {
  switch (status) {
    case kSparseSuccess:
      return "success";
    case kSparseNotInitialized:
      return "initialization error";
    case kSparseAllocFailed:
      return "out of memory";
    case kSparseInvalidValue:
      return "invalid value";
    case kSparseExecutionFailed:
      return "kernel launch failure";
    case kSparseNotSupported:
      return "operation not supported";
    default:
      return cusparseGetErrorName(status);
  }
}

// Descriptors of what is only read are the same.
#define COMPRESSED(name, format)                                                                                      \
  VGPU_LIBRARY_API int cusparseCreate##name(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns,           \
                                            std::int64_t count, void* offsets, void* indices, void* values,           \
                                            int offsets_type, int indices_type, int base, int type) {                 \
    return create(matrix, {format, rows, columns, count, offsets, indices, values, offsets_type, base, type},         \
                  indices_type);                                                                                      \
  }                                                                                                                   \
  VGPU_LIBRARY_API int cusparse##name##Get(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns,     \
                                           std::int64_t* count, void** offsets, void** indices, void** values,        \
                                           int* offsets_type, int* indices_type, int* base, int* type) {              \
    const int status = get(matrix, format, rows, columns, count, offsets, indices, values, offsets_type, base, type); \
    return status == kSparseSuccess ? put(indices_type, *offsets_type) : status;                                      \
  }
#define COORDINATES(name)                                                                                              \
  VGPU_LIBRARY_API int cusparseCreate##name(SparseMatrix** matrix, std::int64_t rows, std::int64_t columns,            \
                                            std::int64_t count, void* row_indices, void* column_indices, void* values, \
                                            int index_type, int base, int type) {                                      \
    return create(matrix, {kCoo, rows, columns, count, row_indices, column_indices, values, index_type, base, type},   \
                  index_type);                                                                                         \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cusparse##name##Get(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns,      \
                                           std::int64_t* count, void** row_indices, void** column_indices,             \
                                           void** values, int* index_type, int* base, int* type) {                     \
    return get(matrix, kCoo, rows, columns, count, row_indices, column_indices, values, index_type, base, type);       \
  }
COMPRESSED(Csr, kCsr)
COMPRESSED(ConstCsr, kCsr)
COMPRESSED(Csc, kCsc)
COMPRESSED(ConstCsc, kCsc)
COORDINATES(Coo)
COORDINATES(ConstCoo)

VGPU_LIBRARY_API int cusparseCsrSetPointers(SparseMatrix* matrix, void* offsets, void* columns, void* values) {
  return set_pointers(matrix, kCsr, offsets, columns, values);
}
VGPU_LIBRARY_API int cusparseCscSetPointers(SparseMatrix* matrix, void* offsets, void* rows, void* values) {
  return set_pointers(matrix, kCsc, offsets, rows, values);
}
VGPU_LIBRARY_API int cusparseCooSetPointers(SparseMatrix* matrix, void* rows, void* columns, void* values) {
  return set_pointers(matrix, kCoo, rows, columns, values);
}
VGPU_LIBRARY_API int cusparseSpMatGetFormat(const SparseMatrix* matrix, int* format) {
  return matrix != nullptr ? put(format, matrix->format) : kSparseInvalidValue;
}
VGPU_LIBRARY_API int cusparseSpMatGetIndexBase(const SparseMatrix* matrix, int* base) {
  return matrix != nullptr ? put(base, matrix->base) : kSparseInvalidValue;
}
VGPU_LIBRARY_API int cusparseSpMatGetSize(const SparseMatrix* matrix, std::int64_t* rows, std::int64_t* columns,
                                          std::int64_t* count) {
  if (matrix == nullptr || rows == nullptr || columns == nullptr || count == nullptr) return kSparseInvalidValue;
  *rows = matrix->rows;
  *columns = matrix->columns;
  *count = matrix->count;
  return kSparseSuccess;
}

#define VALUES(name, Descriptor)                                                                                  \
  VGPU_LIBRARY_API int cusparse##name##GetValues(const Descriptor* of, void** values) {                           \
    return get_values(of, values);                                                                                \
  }                                                                                                               \
  VGPU_LIBRARY_API int cusparseConst##name##GetValues(const Descriptor* of, const void** values) {                \
    return get_values(of, const_cast<void**>(values));                                                            \
  }                                                                                                               \
  VGPU_LIBRARY_API int cusparse##name##SetValues(Descriptor* of, void* values) { return set_values(of, values); } \
  VGPU_LIBRARY_API int cusparseDestroy##name(const Descriptor* of) { return destroy(of); }
VALUES(SpMat, SparseMatrix)
VALUES(DnMat, DenseMatrix)
VALUES(DnVec, DenseVector)

#define DENSE(Const)                                                                                                   \
  VGPU_LIBRARY_API int cusparseCreate##Const##DnVec(DenseVector** vector, std::int64_t size, void* values, int type) { \
    if (vector == nullptr || size < 0 || !is_type(type)) return kSparseInvalidValue;                                   \
    *vector = new DenseVector{size, values, type};                                                                     \
    return kSparseSuccess;                                                                                             \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cusparse##Const##DnVecGet(const DenseVector* vector, std::int64_t* size, void** values,         \
                                                 int* type) {                                                          \
    if (vector == nullptr || size == nullptr || values == nullptr || type == nullptr) return kSparseInvalidValue;      \
    *size = vector->size;                                                                                              \
    *values = vector->values;                                                                                          \
    *type = vector->type;                                                                                              \
    return kSparseSuccess;                                                                                             \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cusparseCreate##Const##DnMat(DenseMatrix** matrix, std::int64_t rows, std::int64_t columns,     \
                                                    std::int64_t leading, void* values, int type, int order) {         \
    const DenseMatrix made{rows, columns, leading, values, type, order};                                               \
    if (matrix == nullptr || rows < 0 || columns < 0 || !is_type(type) || order < kByColumns || order > kByRows ||     \
        leading < made.height())                                                                                       \
      return kSparseInvalidValue;                                                                                      \
    *matrix = new DenseMatrix(made);                                                                                   \
    return kSparseSuccess;                                                                                             \
  }                                                                                                                    \
  VGPU_LIBRARY_API int cusparse##Const##DnMatGet(const DenseMatrix* matrix, std::int64_t* rows, std::int64_t* columns, \
                                                 std::int64_t* leading, void** values, int* type, int* order) {        \
    if (matrix == nullptr || rows == nullptr || columns == nullptr || leading == nullptr || values == nullptr ||       \
        type == nullptr || order == nullptr)                                                                           \
      return kSparseInvalidValue;                                                                                      \
    *rows = matrix->rows;                                                                                              \
    *columns = matrix->columns;                                                                                        \
    *leading = matrix->leading;                                                                                        \
    *values = matrix->values;                                                                                          \
    *type = matrix->type;                                                                                              \
    *order = matrix->order;                                                                                            \
    return kSparseSuccess;                                                                                             \
  }
DENSE()
DENSE(Const)
