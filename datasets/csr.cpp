// What makes compressed rows whole.
#include "datasets/csr.h"

#include <algorithm>
#include <string>

#include "datasets/chunks.h"

namespace lanewise {
namespace {

std::string number(std::int64_t value) { return std::to_string(value); }

// The first index in [0, n) for which `is_wrong` holds, or n.
template <class Test>
std::int64_t first_wrong(std::int64_t n, const Test& is_wrong) {
  std::vector<std::int64_t> found(static_cast<std::size_t>(workers_for(n)), n);
  for_each_chunk(n, [&](int worker, std::int64_t, std::int64_t begin, std::int64_t end) {
    std::int64_t& first = found[static_cast<std::size_t>(worker)];
    for (std::int64_t i = begin; i < std::min(end, first); ++i)
      if (is_wrong(static_cast<std::size_t>(i))) first = i;
  });
  return *std::min_element(found.begin(), found.end());
}

}  // namespace

std::optional<DataError> check_csr(const Csr& matrix) {
  if (matrix.rows < 0 || matrix.cols < 0 || matrix.rows > kMostEntries || matrix.cols > kMostEntries)
    return DataError{"a matrix of " + number(matrix.rows) + " x " + number(matrix.cols) +
                     " does not fit 32-bit indices"};
  const auto offsets = static_cast<std::int64_t>(matrix.row_offsets.size());
  if (offsets != matrix.rows + 1)
    return DataError{number(matrix.rows) + " rows need " + number(matrix.rows + 1) + " row offsets, not " +
                     number(offsets)};
  const auto entries = static_cast<std::int64_t>(matrix.columns.size());
  if (matrix.row_offsets.front() != 0)
    return DataError{"the first row offset is " + number(matrix.row_offsets.front()) + ", not 0"};
  const std::int64_t falling = first_wrong(
      matrix.rows, [&matrix](std::size_t row) { return matrix.row_offsets[row + 1] < matrix.row_offsets[row]; });
  if (falling < matrix.rows) return DataError{"row " + number(falling) + " ends before it begins"};
  if (matrix.row_offsets.back() != entries)
    return DataError{"the last row offset is " + number(matrix.row_offsets.back()) + ", but there are " +
                     number(entries) + " columns"};
  if (!matrix.values.empty() && matrix.values.size() != matrix.columns.size())
    return DataError{number(entries) + " columns have " + number(static_cast<std::int64_t>(matrix.values.size())) +
                     " values"};
  const std::int64_t outside = first_wrong(entries, [&matrix](std::size_t i) {
    return matrix.columns[i] < 0 || std::int64_t{matrix.columns[i]} >= matrix.cols;
  });
  if (outside < entries)
    return DataError{"entry " + number(outside) + " is in column " +
                     number(matrix.columns[static_cast<std::size_t>(outside)]) + " of a matrix of " +
                     number(matrix.cols) + " columns"};
  return std::nullopt;
}

}  // namespace lanewise
