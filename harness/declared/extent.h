// Extents of arrays as lab.toml writes them: numbers, names of numbers, and sums of both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise {

/// One of "n" and "1" in "n - 1".
struct ExtentTerm {
  std::string text;  ///< a number, or the name of a scalar
  bool is_number = false;
  bool is_taken_away = false;
};

/// What `extent` adds up and takes away, in order; nothing if it is no sum of numbers and names.
std::vector<ExtentTerm> terms_of(const std::string& extent);

/// Its value with the problem's scalars. Throws std::invalid_argument if it does not fit into 64 bits.
std::int64_t extent_of(const std::string& extent, const Problem& problem);

}  // namespace lanewise
