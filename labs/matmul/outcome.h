// What the lab's descriptions of mistakes are put together from.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "labs/matmul/matrix.h"

namespace lanewise::labs::matmul_lab {

/// What a multiplied by b gives, as the output "c"; a has as many columns as b has rows.
inline Array times(const Matrix& a, const Matrix& b) {
  return product_array(a.values.data(), b.values.data(), {a.rows, b.cols, a.cols});
}

inline Array right_product(const Problem& problem) {
  return product_array(factor_a(problem), factor_b(problem), extents_of(problem));
}

/// An output none of whose elements was written.
inline Array unwritten(const Problem& problem) {
  const Extents extents = extents_of(problem);
  Array result = make_array<float>("c", {extents.m, extents.n});
  result.bytes.assign(result.bytes.size(), kPoison);
  return result;
}

/// The outcome of a mistake that `give` works out: an Array, for any problem. Beyond 2^32 products nothing is worked
/// out, which would take longer than it is worth.
template <class Give>
std::function<std::vector<Array>(const Problem&)> outcome_of(const Give& give) {
  return [give](const Problem& problem) -> std::vector<Array> {
    const auto [m, n, k] = extents_of(problem);
    constexpr std::int64_t kMostProducts = std::int64_t{1} << 32;
    if (m * n > kMostProducts / (k + 1)) return {};
    return {give(problem)};
  };
}

}  // namespace lanewise::labs::matmul_lab
