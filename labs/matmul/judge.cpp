// Judges products without forming the product of the absolute values, which would take as long as the product itself.
#include "labs/matmul/judge.h"

#include <algorithm>
#include <cmath>

#include "labs/matmul/matrix.h"

namespace lanewise::labs::matmul_lab {
namespace {

// What an element may be off by is 16 sqrt(k) 2^-24 S, where S, the sum of the absolute values of its products, lies
// between two numbers that cost nothing: |c|, because the sum of the products cannot exceed it, and |row of A| |column
// of B| (Euclidean lengths; Cauchy and Schwarz). Only an element whose error lies between the bounds of these two needs
// S itself.
class ErrorBound {
 public:
  ErrorBound(const Problem& problem, const Array& expected, const Array& got)
      : a_(factor_a(problem)),
        b_(factor_b(problem)),
        extents_(extents_of(problem)),
        expected_(elements<float>(expected)),
        got_(elements<float>(got)),
        unit_(16 * std::sqrt(static_cast<double>(extents_.k)) * std::ldexp(1.0, -24)),
        row_lengths_(static_cast<std::size_t>(extents_.m)),
        col_lengths_(static_cast<std::size_t>(extents_.n)) {
    const auto square = [](float x) { return static_cast<double>(x) * x; };
    for (std::int64_t row = 0; row < extents_.m; ++row)
      for (std::int64_t p = 0; p < extents_.k; ++p) row_length(row) += square(a_[row * extents_.k + p]);
    for (std::int64_t p = 0; p < extents_.k; ++p)
      for (std::int64_t col = 0; col < extents_.n; ++col) col_length(col) += square(b_[p * extents_.n + col]);
    for (auto* lengths : {&row_lengths_, &col_lengths_})
      for (double& length : *lengths) length = std::sqrt(length);
  }

  /// For the longest row of A and the longest column of B: no other sum is off by more.
  double largest() const {
    const auto longest = [](const std::vector<double>& lengths) {
      return lengths.empty() ? 0.0 : *std::max_element(lengths.begin(), lengths.end());
    };
    return unit_ * longest(row_lengths_) * longest(col_lengths_);
  }

  double operator()(std::size_t index) {
    const double want = expected_[index];
    const double error = std::abs(want - static_cast<double>(got_[index]));
    const double least = unit_ * std::abs(want);
    if (error <= least) return least;
    const auto row = static_cast<std::int64_t>(index) / extents_.n;
    const auto col = static_cast<std::int64_t>(index) % extents_.n;
    constexpr double kRoundingOfLengths = 1 + 1e-9;
    const double most = unit_ * row_length(row) * col_length(col) * kRoundingOfLengths;
    // Asked this way round, so that NaN, which is never right, does not cost a sum of its own for each element.
    return error <= most ? std::max(least, unit_ * sum_of_magnitudes(row, col)) : std::max(least, most);
  }

 private:
  double& row_length(std::int64_t row) { return row_lengths_[static_cast<std::size_t>(row)]; }
  double& col_length(std::int64_t col) { return col_lengths_[static_cast<std::size_t>(col)]; }

  double sum_of_magnitudes(std::int64_t row, std::int64_t col) {
    if (b_columns_.empty()) transpose_b();
    const float* a_row = a_ + row * extents_.k;
    const float* b_col = b_columns_.data() + col * extents_.k;
    double sum = 0;
    for (std::int64_t p = 0; p < extents_.k; ++p) sum += std::abs(static_cast<double>(a_row[p]) * b_col[p]);
    return sum;
  }

  void transpose_b() {
    b_columns_.resize(static_cast<std::size_t>(extents_.n * extents_.k));
    for (std::int64_t p = 0; p < extents_.k; ++p)
      for (std::int64_t col = 0; col < extents_.n; ++col)
        b_columns_[static_cast<std::size_t>(col * extents_.k + p)] = b_[p * extents_.n + col];
  }

  const float* a_;
  const float* b_;
  Extents extents_;
  const float* expected_;
  const float* got_;
  double unit_;  // the error allowed for S = 1
  std::vector<double> row_lengths_;
  std::vector<double> col_lengths_;
  std::vector<float> b_columns_;  // n x k; made when it is first needed
};

}  // namespace

Judgement judge(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got) {
  ErrorBound bound(problem, expected.at(0), got.at(0));
  return judge_bound(
      expected, got, [&bound](std::size_t, std::size_t index) { return bound(index); },
      "at most 16 sqrt(k) 2^-24 times the sum of the absolute values of its k products apart");
}

bool resembles(const Problem& problem, const std::vector<Array>& a, const std::vector<Array>& b) {
  const double bound = ErrorBound(problem, a.at(0), b.at(0)).largest();
  return judge_bound(
             a, b, [bound](std::size_t, std::size_t) { return bound; }, "")
      .right;
}

}  // namespace lanewise::labs::matmul_lab
