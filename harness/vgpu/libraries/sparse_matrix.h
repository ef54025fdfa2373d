// Matrices and vectors of the cuSPARSE stand-in: what their descriptors hold, and the entries of a sparse one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "harness/vgpu/libraries/device_work.h"

namespace vgpu::libraries {

/// As cusparseStatus_t has them.
enum SparseStatus : int {
  kSparseSuccess = 0,
  kSparseNotInitialized = 1,
  kSparseAllocFailed = 2,
  kSparseInvalidValue = 3,
  kSparseExecutionFailed = 6,
  kSparseNotSupported = 10
};
/// As cusparseFormat_t, cusparseIndexType_t, cusparseOrder_t and cudaDataType have them.
enum SparseFormat : int { kCsr = 1, kCsc = 2, kCoo = 3 };
enum : int { kIndex16 = 1, kIndex32 = 2, kIndex64 = 3 };
enum : int { kByColumns = 1, kByRows = 2 };
enum : int { kFloat = 0, kDouble = 1, kComplexFloat = 4, kComplexDouble = 5 };

struct SparseHandle {
  cudaStream_t stream = nullptr;
  int pointer_mode = 0;  ///< 0: scalars are the host's; 1: the device's
};

struct SparseMatrix {
  int format;
  std::int64_t rows, columns, count;
  /// Offsets of rows (CSR) or columns (CSC) and the other index of each entry; both indices of each (COO).
  void *major, *minor, *values;
  int index_type, base, type;

  bool by_columns() const { return format == kCsc; }
  /// Rows, or columns, that have offsets.
  std::int64_t lines() const { return by_columns() ? columns : rows; }
  std::int64_t majors() const { return format == kCoo ? count : lines() + 1; }
};

struct DenseMatrix {
  std::int64_t rows, columns, leading;
  void* values;
  int type, order;

  /// Of what lies side by side, and how many of those there are.
  std::int64_t height() const { return order == kByColumns ? rows : columns; }
  std::int64_t lines() const { return order == kByColumns ? columns : rows; }
  /// Where an element is in a copy without gaps.
  std::size_t at(std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(order == kByColumns ? column * rows + row : row * columns + column);
  }
};

struct DenseVector {
  std::int64_t size;
  void* values;
  int type;
};

/// Indices of either size in the copy of an operand.
class Indices {
 public:
  Indices() = default;
  Indices(DeviceWork& work, void* device, int type, std::int64_t count, unsigned access) : is_wide_(type == kIndex64) {
    const auto size = static_cast<std::size_t>(count);
    if (is_wide_)
      copy_ = work.operand(static_cast<std::int64_t*>(device), size, 1, size, access);
    else
      copy_ = work.operand(static_cast<std::int32_t*>(device), size, 1, size, access);
  }
  /// Counted from 0, whatever is there: no index is too small to subtract from.
  std::int64_t get(std::int64_t i, int base) const {
    const std::int64_t stored =
        is_wide_ ? static_cast<const std::int64_t*>(copy_)[i] : static_cast<const std::int32_t*>(copy_)[i];
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(stored) - static_cast<std::uint64_t>(base));
  }
  void set(std::int64_t i, std::int64_t value) const {
    if (is_wide_)
      static_cast<std::int64_t*>(copy_)[i] = value;
    else
      static_cast<std::int32_t*>(copy_)[i] = static_cast<std::int32_t>(value);
  }

 private:
  bool is_wide_ = false;
  void* copy_ = nullptr;
};

/// Calls body(line, entry) for each entry of each row or column, which `offsets` tell apart, until it returns false.
/// False then, or with a complaint if an offset would lead a GPU past the entries.
template <class Body>
bool walk_lines(DeviceWork& work, const SparseMatrix& matrix, const Indices& offsets, const Body& body) {
  std::int64_t entry = offsets.get(0, matrix.base);
  for (std::int64_t line = 0; line < matrix.lines(); ++line) {
    const std::int64_t end = offsets.get(line + 1, matrix.base);
    if (entry < 0 || end < entry || end > matrix.count) {
      work.complain("according to its offsets, " + std::string(matrix.by_columns() ? "column" : "row") + " " +
                    std::to_string(line) + " begins at entry " + std::to_string(entry) + " and ends before entry " +
                    std::to_string(end) + " (counting from 0), but the matrix has only " +
                    std::to_string(matrix.count) + " entries");
      return false;
    }
    for (; entry < end; ++entry)
      if (!body(line, entry)) return false;
  }
  return true;
}

/// The copies of a sparse matrix while the work is done. `T` is the type of its values.
template <class T>
class SparseCopy {
 public:
  /// Without values, these count as zeros.
  SparseCopy(DeviceWork& work, const SparseMatrix& matrix, bool with_values = true) : work_(&work), matrix_(matrix) {
    if (matrix.count == 0) return;
    major_ = Indices(work, matrix.major, matrix.index_type, matrix.majors(), kVgpuReads);
    minor_ = Indices(work, matrix.minor, matrix.index_type, matrix.count, kVgpuReads);
    if (!with_values) return;
    const auto size = static_cast<std::size_t>(matrix.count);
    values_ = work.operand(static_cast<const T*>(matrix.values), size, 1, size, kVgpuReads);
  }

  /// Calls visit(row, column, value) for each entry in order. False, and a complaint, if one is outside of the matrix:
  /// then none was visited.
  template <class Visit>
  bool for_each(const Visit& visit) const {
    const auto is_inside = [this](std::int64_t row, std::int64_t column, std::int64_t entry) {
      if (row >= 0 && row < matrix_.rows && column >= 0 && column < matrix_.columns) return true;
      work_->complain("entry " + std::to_string(entry) + " is in row " + std::to_string(row) + ", column " +
                      std::to_string(column) + " (counting from 0) of a " + std::to_string(matrix_.rows) + " × " +
                      std::to_string(matrix_.columns) + " matrix");
      return false;
    };
    return walk(is_inside) && walk([&](std::int64_t row, std::int64_t column, std::int64_t entry) {
             visit(row, column, values_ != nullptr ? values_[entry] : T(0));
             return true;
           });
  }

 private:
  /// As walk_lines, with the row and the column of each entry.
  template <class Body>
  bool walk(const Body& body) const {
    const auto minor = [this](std::int64_t entry) { return minor_.get(entry, matrix_.base); };
    if (matrix_.count == 0) return true;
    if (matrix_.format != kCoo)
      return walk_lines(*work_, matrix_, major_, [&](std::int64_t line, std::int64_t entry) {
        return matrix_.by_columns() ? body(minor(entry), line, entry) : body(line, minor(entry), entry);
      });
    for (std::int64_t entry = 0; entry < matrix_.count; ++entry)
      if (!body(major_.get(entry, matrix_.base), minor(entry), entry)) return false;
    return true;
  }

  DeviceWork* work_;
  SparseMatrix matrix_;
  Indices major_, minor_;
  const T* values_ = nullptr;
};

/// The copy of a dense matrix: no gaps between its columns or rows.
template <class T>
T* dense_operand(DeviceWork& work, const DenseMatrix& matrix, unsigned access) {
  return work.operand(static_cast<T*>(matrix.values), static_cast<std::size_t>(matrix.height()),
                      static_cast<std::size_t>(matrix.lines()), static_cast<std::size_t>(matrix.leading), access);
}

inline int queue(std::unique_ptr<DeviceWork> work, const SparseHandle* handle, std::function<void()> compute) {
  const cudaError_t error = DeviceWork::queue(std::move(work), handle->stream, std::move(compute));
  if (error == cudaErrorMemoryAllocation) return kSparseAllocFailed;
  return error == cudaSuccess ? kSparseSuccess : kSparseExecutionFailed;
}

/// Calls `body` with a value of the type; refuses those that NVIDIA's has, and ours has not.
template <class Body>
int with_type(const char* function, int type, const Body& body) {
  switch (type) {
    case kFloat:
      return body(float{});
    case kDouble:
      return body(double{});
    case kComplexFloat:
      return body(std::complex<float>{});
    case kComplexDouble:
      return body(std::complex<double>{});
    default:
      refuse_function("cuSPARSE", function, " for numbers other than float and double, real or complex,");
  }
}

}  // namespace vgpu::libraries
