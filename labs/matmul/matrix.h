// A matrix of floats, and the product of two of them in double precision.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::matmul_lab {

/// Row-major, without padding.
struct Matrix {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> values;

  float at(std::int64_t row, std::int64_t col) const { return values[static_cast<std::size_t>(row * cols + col)]; }
};

/// The matrix whose element (row, col) is value(row, col).
template <class Value>
Matrix matrix_of(std::int64_t rows, std::int64_t cols, const Value& value) {
  Matrix matrix{rows, cols, {}};
  matrix.values.reserve(static_cast<std::size_t>(rows * cols));
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col) matrix.values.push_back(value(row, col));
  return matrix;
}

/// Extents of a problem: A is m x k, B is k x n, C is m x n.
struct Extents {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};
Extents extents_of(const Problem& problem);

/// The m x k floats of A, and the k x n floats of B.
const float* factor_a(const Problem& problem);
const float* factor_b(const Problem& problem);

/// a (m x k) times b (k x n) in double precision: m x n sums, row-major. Runs on `threads` threads (0: one a
/// processor); the bytes are the same for every number of them.
std::vector<double> product(const float* a, const float* b, Extents extents, unsigned threads = 0);

/// The product rounded to float once, as the output "c".
Array product_array(const float* a, const float* b, Extents extents);

}  // namespace lanewise::labs::matmul_lab
