// cuSPARSE: conversions between formats of sparse matrices, and to and from dense ones.
#include <algorithm>
#include <vector>

#include "harness/vgpu/libraries/sparse_matrix.h"

using namespace vgpu::libraries;

namespace {

bool is_base(int base) { return base == 0 || base == 1; }

/// What belongs to entries behind the last offset stays as it is.
constexpr unsigned kWritesSome = kVgpuKeeps | kVgpuWrites;

/// From how many entries each line has, in counts[line + 1], to where it begins.
void sum_up(std::vector<std::int64_t>& counts) {
  for (std::size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];
}
void put_offsets(const Indices& to, const std::vector<std::int64_t>& offsets, std::int64_t base) {
  for (std::size_t i = 0; i < offsets.size(); ++i) to.set(static_cast<std::int64_t>(i), offsets[i] + base);
}

/// Calls visit(row, column, value) for what is not zero, in the order in which the sparse matrix has it.
template <class T, class Visit>
void for_each_entry(const DenseMatrix& matrix, const T* values, bool by_columns, const Visit& visit) {
  const std::int64_t lines = by_columns ? matrix.columns : matrix.rows;
  const std::int64_t length = by_columns ? matrix.rows : matrix.columns;
  for (std::int64_t line = 0; line < lines; ++line)
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t row = by_columns ? i : line, column = by_columns ? line : i;
      if (const T value = values[matrix.at(row, column)]; value != T(0)) visit(row, column, value);
    }
}

int check(const SparseHandle* handle, const DenseMatrix* dense, const SparseMatrix* sparse, int algorithm) {
  if (handle == nullptr || dense == nullptr || sparse == nullptr || algorithm != 0 || dense->type != sparse->type ||
      dense->rows != sparse->rows || dense->columns != sparse->columns)
    return kSparseInvalidValue;
  return kSparseSuccess;
}

/// Counts what is not zero; the caller waits for the number, with which it allocates memory.
template <class T>
int analyse(const SparseHandle* handle, const DenseMatrix& dense, SparseMatrix& sparse) {
  auto work = std::make_unique<DeviceWork>("cuSPARSE", "cusparseDenseToSparse_analysis");
  const T* const values = dense_operand<T>(*work, dense, kVgpuReads);
  const auto count = std::make_shared<std::int64_t>(0);
  const int status = queue(std::move(work), handle, [count, dense, values, by_columns = sparse.by_columns()] {
    for_each_entry(dense, values, by_columns, [&](std::int64_t, std::int64_t, T) { ++*count; });
  });
  if (status != kSparseSuccess) return status;
  if (wait_for(handle->stream) != cudaSuccess) return kSparseExecutionFailed;
  sparse.count = *count;
  return kSparseSuccess;
}

template <class T>
int convert(const SparseHandle* handle, const DenseMatrix& dense, const SparseMatrix& sparse) {
  auto work = std::make_unique<DeviceWork>("cuSPARSE", "cusparseDenseToSparse_convert");
  DeviceWork* const self = work.get();
  const T* const from = dense_operand<T>(*work, dense, kVgpuReads);
  const Indices major(*work, sparse.major, sparse.index_type, sparse.majors(), kVgpuWrites);
  const Indices minor(*work, sparse.minor, sparse.index_type, sparse.count, kVgpuWrites);
  const auto size = static_cast<std::size_t>(sparse.count);
  T* const values = work->operand(static_cast<T*>(sparse.values), size, 1, size, kVgpuWrites);
  return queue(std::move(work), handle, [=] {
    std::vector<std::int64_t> offsets(sparse.format != kCoo ? static_cast<std::size_t>(sparse.majors()) : 0);
    std::int64_t next = 0;
    for_each_entry(dense, from, sparse.by_columns(), [&](std::int64_t row, std::int64_t column, T value) {
      if (next++ >= sparse.count) return;
      if (sparse.format == kCoo)
        major.set(next - 1, row + sparse.base);
      else
        ++offsets[static_cast<std::size_t>(sparse.by_columns() ? column : row) + 1];
      minor.set(next - 1, (sparse.by_columns() ? row : column) + sparse.base);
      values[next - 1] = value;
    });
    if (next != sparse.count)
      self->complain("the dense matrix has " + std::to_string(next) +
                     " nonzero entries, but the sparse one has room for " + std::to_string(sparse.count) +
                     ": was the dense matrix changed after the analysis?");
    sum_up(offsets);
    if (sparse.format != kCoo) put_offsets(major, offsets, sparse.base);
  });
}

template <class T>
int fill(const SparseHandle* handle, const SparseMatrix& sparse, const DenseMatrix& dense) {
  auto work = std::make_unique<DeviceWork>("cuSPARSE", "cusparseSparseToDense");
  const SparseCopy<T> entries(*work, sparse);
  T* const to = dense_operand<T>(*work, dense, kVgpuWrites);
  return queue(std::move(work), handle, [=] {
    std::fill_n(to, dense.rows * dense.columns, T(0));
    entries.for_each([&](std::int64_t row, std::int64_t column, T value) { to[dense.at(row, column)] = value; });
  });
}

/// Columns in place of rows: the entries of a column stay in the order of their rows.
template <class T>
int transpose(const SparseHandle* handle, const SparseMatrix& from, SparseMatrix to, bool with_values) {
  auto work = std::make_unique<DeviceWork>("cuSPARSE", "cusparseCsr2cscEx2");
  const SparseCopy<T> entries(*work, from, with_values);
  const Indices offsets(*work, to.major, kIndex32, to.majors(), kVgpuWrites);
  const Indices rows(*work, to.minor, kIndex32, to.count, kWritesSome);
  const auto size = with_values ? static_cast<std::size_t>(to.count) : 0;
  T* const values = work->operand(static_cast<T*>(to.values), size, 1, size, kWritesSome);
  return queue(std::move(work), handle, [=] {
    std::vector<std::int64_t> begins(static_cast<std::size_t>(to.columns) + 1);
    if (!entries.for_each(
            [&](std::int64_t, std::int64_t column, T) { ++begins[static_cast<std::size_t>(column) + 1]; }))
      return;
    sum_up(begins);
    put_offsets(offsets, begins, to.base);
    entries.for_each([&](std::int64_t row, std::int64_t column, T value) {
      const std::int64_t at = begins[static_cast<std::size_t>(column)]++;
      rows.set(at, row + to.base);
      if (with_values) values[at] = value;
    });
  });
}

}  // namespace

VGPU_LIBRARY_API int cusparseXcoo2csr(SparseHandle* handle, int* rows, int count, int lines, int* offsets, int base) {
  if (handle == nullptr) return kSparseNotInitialized;
  if (count < 0 || lines < 0 || !is_base(base)) return kSparseInvalidValue;
  auto work = std::make_unique<DeviceWork>("cuSPARSE", "cusparseXcoo2csr");
  DeviceWork* const self = work.get();
  const Indices from(*work, rows, kIndex32, count, kVgpuReads);
  const Indices to(*work, offsets, kIndex32, std::int64_t{lines} + 1, kVgpuWrites);
  return queue(std::move(work), handle, [=] {
    std::vector<std::int64_t> begins(static_cast<std::size_t>(lines) + 1);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t row = from.get(i, base);
      if (row < 0 || row >= lines) {
        self->complain("entry " + std::to_string(i) + " is in row " + std::to_string(row) +
                       " (counting from 0) of a matrix with " + std::to_string(lines) + " rows");
        return;
      }
      ++begins[static_cast<std::size_t>(row) + 1];
    }
    sum_up(begins);
    put_offsets(to, begins, base);
  });
}
VGPU_LIBRARY_API int cusparseXcsr2coo(SparseHandle* handle, int* offsets, int count, int lines, int* rows, int base) {
  if (handle == nullptr) return kSparseNotInitialized;
  if (count < 0 || lines < 0 || !is_base(base)) return kSparseInvalidValue;
  if (count == 0) return kSparseSuccess;
  auto work = std::make_unique<DeviceWork>("cuSPARSE", "cusparseXcsr2coo");
  DeviceWork* const self = work.get();
  const SparseMatrix matrix{kCsr, lines, 0, count, offsets, nullptr, nullptr, kIndex32, base, kFloat};
  const Indices from(*work, offsets, kIndex32, matrix.majors(), kVgpuReads);
  const Indices to(*work, rows, kIndex32, count, kWritesSome);
  return queue(std::move(work), handle, [=] {
    walk_lines(*self, matrix, from, [&](std::int64_t line, std::int64_t entry) {
      to.set(entry, line + base);
      return true;
    });
  });
}

/// No buffer is needed for any of these.
VGPU_LIBRARY_API int cusparseSparseToDense_bufferSize(SparseHandle* handle, const SparseMatrix* sparse,
                                                      const DenseMatrix* dense, int algorithm, std::size_t* size) {
  if (size == nullptr) return kSparseInvalidValue;
  *size = 0;
  return check(handle, dense, sparse, algorithm);
}
VGPU_LIBRARY_API int cusparseSparseToDense(SparseHandle* handle, const SparseMatrix* sparse, const DenseMatrix* dense,
                                           int algorithm, void*) {
  if (const int status = check(handle, dense, sparse, algorithm); status != kSparseSuccess) return status;
  return with_type("cusparseSparseToDense", dense->type,
                   [&](auto zero) { return fill<decltype(zero)>(handle, *sparse, *dense); });
}
VGPU_LIBRARY_API int cusparseDenseToSparse_bufferSize(SparseHandle* handle, const DenseMatrix* dense,
                                                      const SparseMatrix* sparse, int algorithm, std::size_t* size) {
  return cusparseSparseToDense_bufferSize(handle, sparse, dense, algorithm, size);
}
VGPU_LIBRARY_API int cusparseDenseToSparse_analysis(SparseHandle* handle, const DenseMatrix* dense,
                                                    SparseMatrix* sparse, int algorithm, void*) {
  if (const int status = check(handle, dense, sparse, algorithm); status != kSparseSuccess) return status;
  return with_type("cusparseDenseToSparse_analysis", dense->type,
                   [&](auto zero) { return analyse<decltype(zero)>(handle, *dense, *sparse); });
}
VGPU_LIBRARY_API int cusparseDenseToSparse_convert(SparseHandle* handle, const DenseMatrix* dense, SparseMatrix* sparse,
                                                   int algorithm, void*) {
  if (const int status = check(handle, dense, sparse, algorithm); status != kSparseSuccess) return status;
  return with_type("cusparseDenseToSparse_convert", dense->type,
                   [&](auto zero) { return convert<decltype(zero)>(handle, *dense, *sparse); });
}

VGPU_LIBRARY_API int cusparseCsr2cscEx2_bufferSize(SparseHandle* handle, int rows, int columns, int count, const void*,
                                                   const int*, const int*, void*, int*, int*, int type, int action,
                                                   int base, int algorithm, std::size_t* size) {
  if (handle == nullptr) return kSparseNotInitialized;
  if (rows < 0 || columns < 0 || count < 0 || size == nullptr || action < 0 || action > 1 || !is_base(base) ||
      algorithm != 1)
    return kSparseInvalidValue;
  *size = 0;
  return with_type("cusparseCsr2cscEx2_bufferSize", type, [](auto) { return int{kSparseSuccess}; });
}
VGPU_LIBRARY_API int cusparseCsr2cscEx2(SparseHandle* handle, int rows, int columns, int count, void* values,
                                        int* row_offsets, int* column_indices, void* to_values, int* column_offsets,
                                        int* row_indices, int type, int action, int base, int algorithm, void*) {
  std::size_t size = 0;
  if (const int status = cusparseCsr2cscEx2_bufferSize(handle, rows, columns, count, nullptr, nullptr, nullptr, nullptr,
                                                       nullptr, nullptr, type, action, base, algorithm, &size);
      status != kSparseSuccess)
    return status;
  const SparseMatrix from{kCsr, rows, columns, count, row_offsets, column_indices, values, kIndex32, base, type};
  const SparseMatrix to{kCsc, rows, columns, count, column_offsets, row_indices, to_values, kIndex32, base, type};
  return with_type("cusparseCsr2cscEx2", type,
                   [&](auto zero) { return transpose<decltype(zero)>(handle, from, to, action == 1); });
}
