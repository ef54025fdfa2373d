// cuSPARSE: products of a sparse matrix with a dense vector or matrix.
#include "harness/vgpu/libraries/dense_algebra.h"
#include "harness/vgpu/libraries/scalar.h"
#include "harness/vgpu/libraries/sparse_matrix.h"

using namespace vgpu::libraries;

namespace {

/// op(A) op(B) and where it goes. A vector is a matrix of one column.
struct Product {
  const char* function;
  int op_a, op_b;
  const SparseMatrix* a;
  DenseMatrix b, c;
};

template <class T>
int multiply(const SparseHandle* handle, const Product& product_of, const T* alpha, const T* beta) {
  const auto& [function, op_a, op_b, a, b, c] = product_of;
  auto work = std::make_unique<DeviceWork>("cuSPARSE", function);
  const Scalar<T> by(*work, handle->pointer_mode != 0, alpha), keeps(*work, handle->pointer_mode != 0, beta);
  const SparseCopy<T> entries(*work, *a);
  const T* const right = dense_operand<T>(*work, b, kVgpuReads);
  T* const to = dense_operand<T>(*work, c, access_of(keeps));
  work->computes<T>((kIsComplex<T> ? 8.0 : 2.0) * static_cast<double>(a->count) * static_cast<double>(c.columns));
  return queue(std::move(work), handle, [=, op_a = op_a, op_b = op_b, b = b, c = c] {
    const auto columns = static_cast<std::size_t>(c.columns);
    std::vector<T> sums(static_cast<std::size_t>(c.rows) * columns);
    const bool is_known = entries.for_each([&](std::int64_t row, std::int64_t column, T value) {
      if (op_a != 0) std::swap(row, column);
      if (op_a == 2) value = conjugate(value);
      T* const sum = sums.data() + static_cast<std::size_t>(row) * columns;
      for (std::size_t j = 0; j < columns; ++j) {
        const auto other = static_cast<std::int64_t>(j);
        const T factor = right[op_b == 0 ? b.at(column, other) : b.at(other, column)];
        sum[j] += product(value, op_b == 2 ? conjugate(factor) : factor);
      }
    });
    if (!is_known) return;
    for (std::int64_t i = 0; i < c.rows; ++i)
      for (std::int64_t j = 0; j < c.columns; ++j)
        put_scaled(to + c.at(i, j), sums.data() + static_cast<std::size_t>(i) * columns + j, 1, by.value(),
                   keeps.value());
  });
}

bool is_op(int op) { return op >= 0 && op <= 2; }

/// What is wrong with a product, if anything is.
int check(const SparseHandle* handle, const Product& wanted, const void* alpha, const void* beta, int type) {
  const auto& [function, op_a, op_b, a, b, c] = wanted;
  if (handle == nullptr || alpha == nullptr || beta == nullptr || !is_op(op_a) || !is_op(op_b))
    return kSparseInvalidValue;
  const std::int64_t rows = op_a == 0 ? a->rows : a->columns, inner = op_a == 0 ? a->columns : a->rows;
  if (c.rows != rows || (op_b == 0 ? b.rows : b.columns) != inner || (op_b == 0 ? b.columns : b.rows) != c.columns)
    return kSparseInvalidValue;
  if (a->type != type || b.type != type || c.type != type)
    refuse_function("cuSPARSE", function, " for matrices and vectors of different types");
  return with_type(function, type, [](auto) { return int{kSparseSuccess}; });
}
int multiply(const SparseHandle* handle, const Product& wanted, const void* alpha, const void* beta, int type) {
  if (const int status = check(handle, wanted, alpha, beta, type); status != kSparseSuccess) return status;
  return with_type(wanted.function, type, [&](auto zero) {
    using T = decltype(zero);
    return multiply(handle, wanted, static_cast<const T*>(alpha), static_cast<const T*>(beta));
  });
}

Product spmv(const char* function, int op, const SparseMatrix* a, const DenseVector* x, const DenseVector* y) {
  const auto column = [](const DenseVector& v) { return DenseMatrix{v.size, 1, v.size, v.values, v.type, kByColumns}; };
  return {function, op, 0, a, column(*x), column(*y)};
}

}  // namespace

VGPU_LIBRARY_API int cusparseSpMV_bufferSize(SparseHandle* handle, int op, const void* alpha, const SparseMatrix* a,
                                             const DenseVector* x, const void* beta, const DenseVector* y, int type,
                                             int algorithm, std::size_t* size) {
  if (a == nullptr || x == nullptr || y == nullptr || size == nullptr || algorithm < 0 || algorithm > 6)
    return kSparseInvalidValue;
  *size = 0;  // none is needed
  return check(handle, spmv("cusparseSpMV_bufferSize", op, a, x, y), alpha, beta, type);
}
/// There is nothing to prepare.
VGPU_LIBRARY_API int cusparseSpMV_preprocess(SparseHandle* handle, int op, const void* alpha, const SparseMatrix* a,
                                             const DenseVector* x, const void* beta, const DenseVector* y, int type,
                                             int algorithm, void*) {
  std::size_t size = 0;
  return cusparseSpMV_bufferSize(handle, op, alpha, a, x, beta, y, type, algorithm, &size);
}
VGPU_LIBRARY_API int cusparseSpMV(SparseHandle* handle, int op, const void* alpha, const SparseMatrix* a,
                                  const DenseVector* x, const void* beta, const DenseVector* y, int type, int algorithm,
                                  void*) {
  if (a == nullptr || x == nullptr || y == nullptr || algorithm < 0 || algorithm > 6) return kSparseInvalidValue;
  return multiply(handle, spmv("cusparseSpMV", op, a, x, y), alpha, beta, type);
}

VGPU_LIBRARY_API int cusparseSpMM_bufferSize(SparseHandle* handle, int op_a, int op_b, const void* alpha,
                                             const SparseMatrix* a, const DenseMatrix* b, const void* beta,
                                             const DenseMatrix* c, int type, int algorithm, std::size_t* size) {
  if (a == nullptr || b == nullptr || c == nullptr || size == nullptr || algorithm < 0 || algorithm > 14)
    return kSparseInvalidValue;
  *size = 0;
  return check(handle, {"cusparseSpMM_bufferSize", op_a, op_b, a, *b, *c}, alpha, beta, type);
}
VGPU_LIBRARY_API int cusparseSpMM_preprocess(SparseHandle* handle, int op_a, int op_b, const void* alpha,
                                             const SparseMatrix* a, const DenseMatrix* b, const void* beta,
                                             const DenseMatrix* c, int type, int algorithm, void*) {
  std::size_t size = 0;
  return cusparseSpMM_bufferSize(handle, op_a, op_b, alpha, a, b, beta, c, type, algorithm, &size);
}
VGPU_LIBRARY_API int cusparseSpMM(SparseHandle* handle, int op_a, int op_b, const void* alpha, const SparseMatrix* a,
                                  const DenseMatrix* b, const void* beta, const DenseMatrix* c, int type, int algorithm,
                                  void*) {
  if (a == nullptr || b == nullptr || c == nullptr || algorithm < 0 || algorithm > 14) return kSparseInvalidValue;
  return multiply(handle, {"cusparseSpMM", op_a, op_b, a, *b, *c}, alpha, beta, type);
}
