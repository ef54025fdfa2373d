// Dense linear algebra on the host: matrices in columns, as BLAS has them. Sums are taken in the order of the index, so
// that results are the same on every host; nothing is fused.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "harness/vgpu/libraries/device_work.h"

namespace vgpu::libraries {

enum class Op : int { kPlain = 0, kTransposed = 1, kAdjoint = 2 };

template <class T>
T conjugate(const T& value) {
  if constexpr (kIsComplex<T>)
    return std::conj(value);
  else
    return value;
}

/// std::complex multiplies through a function that looks for infinities: BLAS does not.
template <class T>
T product(const T& a, const T& b) {
  if constexpr (kIsComplex<T>)
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return a * b;
}

template <class T>
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<T> values;

  Matrix(std::size_t r, std::size_t c) : rows(r), columns(c), values(r * c) {}
  T& at(std::size_t row, std::size_t column) { return values[column * rows + row]; }
  const T& at(std::size_t row, std::size_t column) const { return values[column * rows + row]; }
  T* column(std::size_t index) { return values.data() + index * rows; }
  const T* column(std::size_t index) const { return values.data() + index * rows; }
};

/// op(A) for a stored matrix of `rows` x `columns`.
template <class T>
Matrix<T> applied(Op op, const T* stored, std::size_t rows, std::size_t columns) {
  if (op == Op::kPlain) {
    Matrix<T> same(rows, columns);
    std::copy(stored, stored + rows * columns, same.values.begin());
    return same;
  }
  Matrix<T> turned(columns, rows);
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t r = 0; r < rows; ++r)
      turned.at(c, r) = op == Op::kAdjoint ? conjugate(stored[c * rows + r]) : stored[c * rows + r];
  return turned;
}

enum class Shape { kSymmetric, kHermitian, kTriangular };

/// A square matrix of which one half is stored: the other mirrors it, or is zero. With `unit`, the diagonal is ones.
template <class T>
Matrix<T> completed(Shape shape, bool upper, bool unit, const T* stored, std::size_t n) {
  Matrix<T> whole(n, n);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t r = upper ? 0 : c; r < (upper ? c + 1 : n); ++r) {
      const T value = stored[c * n + r];
      whole.at(r, c) = value;
      if (shape == Shape::kSymmetric) whole.at(c, r) = value;
      if (shape == Shape::kHermitian) whole.at(c, r) = conjugate(value);
      if (r != c) continue;
      if (shape == Shape::kHermitian) whole.at(c, c) = T(std::real(value));
      if (unit) whole.at(c, c) = T(1);
    }
  return whole;
}

/// A B, four columns at a time: each column of A then serves four.
template <class T>
Matrix<T> multiplied(const Matrix<T>& a, const Matrix<T>& b) {
  constexpr std::size_t kTogether = 4;
  Matrix<T> c(a.rows, b.columns);
  for (std::size_t first = 0; first < b.columns; first += kTogether) {
    const std::size_t last = std::min(first + kTogether, b.columns);
    for (std::size_t k = 0; k < a.columns; ++k) {
      const T* const left = a.column(k);
      for (std::size_t column = first; column < last; ++column) {
        const T right = b.at(k, column);
        T* const sum = c.column(column);
        for (std::size_t row = 0; row < a.rows; ++row) sum[row] += product(left[row], right);
      }
    }
  }
  return c;
}

/// to = alpha sums + beta to. With a beta of zero, `to` is not read.
template <class T>
void put_scaled(T* to, const T* sums, std::size_t count, T alpha, T beta) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = beta == T(0) ? product(alpha, sums[i]) : product(alpha, sums[i]) + product(beta, to[i]);
}

/// B becomes the X of A X = B, for a triangular A.
template <class T>
void solve(const Matrix<T>& a, bool upper, Matrix<T>& b) {
  const std::size_t n = a.rows;
  for (std::size_t column = 0; column < b.columns; ++column) {
    T* const x = b.column(column);
    for (std::size_t step = 0; step < n; ++step) {
      const std::size_t k = upper ? n - 1 - step : step;
      x[k] = x[k] / a.at(k, k);
      const T known = x[k];
      for (std::size_t row = upper ? 0 : k + 1; row < (upper ? k : n); ++row) x[row] -= product(a.at(row, k), known);
    }
  }
}

}  // namespace vgpu::libraries
