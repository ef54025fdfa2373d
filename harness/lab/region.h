// Words for where the wrong elements of an array lie: a pattern tells a student more than a list of indices.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/lab/array.h"

namespace lanewise {

/// Gathers the positions of wrong elements and describes the pattern they form. Keeps counts only (one per row and one
/// per column for matrices), so an array with every element wrong costs no more memory.
class WrongRegion {
 public:
  explicit WrongRegion(const ArrayShape& shape);

  /// One wrong element. Positions must come in ascending order.
  void add(std::int64_t flat_index);

  /// "everywhere", "from 1024 to the end", "the last column", "every second element, beginning with 1"; words such as
  /// "almost" and "scattered" mark a pattern that is not exact. Empty if nothing was added.
  std::string describe() const;

 private:
  static constexpr std::int64_t kLongestPeriod = 1024;  // longest repetition looked for: the largest thread block

  bool is_matrix() const { return rows_ > 1 && columns_ > 1; }
  std::string describe_line() const;
  std::string describe_matrix() const;
  std::string describe_repetition() const;  // "" if there is none

  std::int64_t total_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;

  std::int64_t wrong_ = 0;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
  std::int64_t stride_ = 0;                                // greatest common divisor of the distances to first_
  std::array<std::int64_t, kLongestPeriod> by_residue_{};  // wrong elements by position modulo kLongestPeriod
  std::vector<std::int64_t> by_row_;                       // wrong elements of each row
  std::vector<std::int64_t> by_column_;                    // wrong elements of each column
  std::int64_t row_ = 0;                                   // of the last wrong element
  std::int64_t deepest_ = 0;                               // greatest distance of a wrong element to the border
};

}  // namespace lanewise
