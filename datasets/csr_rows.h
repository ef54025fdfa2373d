// Makes compressed rows whose lengths and entries can be computed row by row.
#pragma once

#include <cassert>
#include <cstdint>
#include <vector>

#include "datasets/chunks.h"
#include "datasets/csr.h"

namespace lanewise {

/// Rows that a thread makes at a time.
inline constexpr std::int64_t kRowsAtATime = 1 << 14;

enum class WithValues : bool { kNo, kYes };

/// A matrix whose row r has length(r) entries, at most kMostEntries in all, that fill(r, columns, values) writes;
/// `values` is null for a graph. Rows are made in any order by several threads.
template <class Length, class Fill>
Csr csr_by_rows(std::int64_t rows, std::int64_t cols, WithValues with_values, const Length& length, const Fill& fill) {
  Csr matrix{rows, cols, {}, {}, {}};
  matrix.row_offsets.resize(static_cast<std::size_t>(rows) + 1);
  std::int32_t* const offsets = matrix.row_offsets.data();
  std::vector<std::int64_t> before(static_cast<std::size_t>(chunk_count(rows, kRowsAtATime)));
  for_each_chunk_of(kRowsAtATime, rows, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::int64_t entries = 0;
    for (std::int64_t row = begin; row < end; ++row) entries += length(row);
    before[static_cast<std::size_t>(chunk)] = entries;
  });
  std::int64_t running = 0;
  for (std::int64_t& chunk : before) {
    const std::int64_t entries = chunk;
    chunk = running;
    running += entries;
  }
  assert(running <= kMostEntries);
  matrix.columns.resize(static_cast<std::size_t>(running));
  if (with_values == WithValues::kYes) matrix.values.resize(static_cast<std::size_t>(running));
  for_each_chunk_of(kRowsAtATime, rows, [&](int, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::int64_t at = before[static_cast<std::size_t>(chunk)];
    for (std::int64_t row = begin; row < end; ++row) {
      fill(row, matrix.columns.data() + at,
           with_values == WithValues::kYes ? matrix.values.data() + at : static_cast<float*>(nullptr));
      at += length(row);
      offsets[row + 1] = static_cast<std::int32_t>(at);
    }
  });
  return matrix;
}

}  // namespace lanewise
