// Compressed sparse rows: the format in which the labs take graphs and sparse matrices.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "datasets/data_error.h"

namespace lanewise {

/// Entries of row r are at [row_offsets[r], row_offsets[r + 1]) of `columns` and `values`. A graph is a square matrix
/// without values: the columns of row u are the neighbours of vertex u.
struct Csr {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<std::int32_t> row_offsets;  ///< rows + 1 entries
  std::vector<std::int32_t> columns;
  std::vector<float> values;  ///< as many as columns; empty: a graph
};

/// What is wrong with it; empty if the offsets begin at 0 and never decrease, the columns are within range, and the
/// sizes agree. Columns need not be in order.
std::optional<DataError> check_csr(const Csr& matrix);

/// The largest number of entries, rows and columns that 32-bit offsets can count.
inline constexpr std::int64_t kMostEntries = 2147483647;

}  // namespace lanewise
