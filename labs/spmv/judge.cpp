// Judges products, each row by what its own sum may be off.
#include "labs/spmv/judge.h"

#include <algorithm>
#include <cmath>

#include "labs/spmv/matrices.h"

namespace lanewise::labs::spmv_lab {

Judgement judge(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got) {
  const Inputs in = inputs_of(problem);
  const float* want = elements<float>(expected.at(0));
  const float* have = elements<float>(got.at(0));
  const auto bound = [&](std::size_t, std::size_t row) {
    const std::int64_t first = in.row_offsets[row];
    const std::int64_t end = in.row_offsets[row + 1];
    const double unit = 16 * std::sqrt(static_cast<double>(end - first)) * std::ldexp(1.0, -24);
    // |y| is not more than S, and costs nothing. It is enough for most rows; only the others need S itself.
    const double least = unit * std::abs(static_cast<double>(want[row]));
    const double error = std::abs(static_cast<double>(want[row]) - have[row]);
    if (error <= least || !std::isfinite(error)) return least;
    double sum_of_magnitudes = 0;
    for (std::int64_t j = first; j < end; ++j)
      sum_of_magnitudes += std::abs(static_cast<double>(in.values[j]) * in.x[in.columns[j]]);
    return unit * sum_of_magnitudes;
  };
  return judge_bound(expected, got, bound,
                     "at most 16 sqrt(n) 2^-24 times the sum of the absolute values of the row's n products apart");
}

bool resembles(const Problem& problem, const std::vector<Array>& a, const std::vector<Array>& b) {
  const Inputs in = inputs_of(problem);
  double bound = 0;  // of the row that may be off most
  for (std::int64_t row = 0; row < in.rows; ++row) {
    double sum_of_magnitudes = 0;
    for (std::int64_t j = in.row_offsets[row]; j < in.row_offsets[row + 1]; ++j)
      sum_of_magnitudes += std::abs(static_cast<double>(in.values[j]) * in.x[in.columns[j]]);
    const auto length = static_cast<double>(in.row_offsets[row + 1] - in.row_offsets[row]);
    bound = std::max(bound, 16 * std::sqrt(length) * std::ldexp(1.0, -24) * sum_of_magnitudes);
  }
  return judge_bound(
             a, b, [bound](std::size_t, std::size_t) { return bound; }, "")
      .right;
}

}  // namespace lanewise::labs::spmv_lab
