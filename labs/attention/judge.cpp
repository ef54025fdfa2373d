// Judges what softmax and attention give. Right results are accepted at a glance; only an element that is off by more
// than the least that W can be needs W itself.
#include "labs/attention/judge.h"

#include <algorithm>
#include <cmath>

#include "labs/attention/heads.h"

namespace lanewise::labs::attention_lab {
namespace {

double length(const float* of, std::int64_t d) {
  double sum = 0;
  for (std::int64_t c = 0; c < d; ++c) sum += static_cast<double>(of[c]) * of[c];
  return std::sqrt(sum);
}

class AttentionBound {
 public:
  AttentionBound(const Problem& problem, const Array& expected, const Array& got)
      : heads_(problem), expected_(elements<float>(expected)), got_(elements<float>(got)) {
    for (std::int64_t head = 0; head < heads_.heads; ++head) {
      double longest = 0;
      double greatest = 0;
      for (std::int64_t j = 0; j < heads_.n; ++j) {
        longest = std::max(longest, length(heads_.row(heads_.k, head, j), heads_.d));
        for (std::int64_t c = 0; c < heads_.d; ++c)
          greatest = std::max(greatest, std::abs(static_cast<double>(heads_.row(heads_.v, head, j)[c])));
      }
      longest_key_.push_back(longest);
      greatest_value_.push_back(greatest);
    }
  }

  double operator()(std::size_t index) {
    const auto row = static_cast<std::int64_t>(index) / heads_.d;
    const auto head = static_cast<std::size_t>(row / heads_.n);
    if (row != row_) {
      row_ = row;
      magnitudes_.clear();
      const double a =
          length(heads_.q + row * heads_.d, heads_.d) * longest_key_[head] / std::sqrt(static_cast<double>(heads_.d));
      relative_ = std::expm1((1.25 + 2.05 * a) / 1024);
    }
    const double lost = std::ldexp(greatest_value_[head], -100);
    const double want = expected_[index];
    const double least = relative_ * std::abs(want) + lost;  // |out| <= W
    const double error = std::abs(want - static_cast<double>(got_[index]));
    if (!(error > least && error <= relative_ * greatest_value_[head] + lost)) return least;  // W <= V
    if (magnitudes_.empty()) weigh_magnitudes();
    return relative_ * magnitudes_[index % static_cast<std::size_t>(heads_.d)] + lost;
  }

 private:
  // W for each column of the row.
  void weigh_magnitudes() {
    const std::int64_t head = row_ / heads_.n;
    std::vector<double> weights = heads_.products(head, row_ % heads_.n);
    for (double& score : weights) score /= std::sqrt(static_cast<double>(heads_.d));
    const double sum = to_weights(weights);
    magnitudes_.assign(static_cast<std::size_t>(heads_.d), 0);
    for (std::int64_t j = 0; j < heads_.n; ++j)
      for (std::size_t c = 0; c < magnitudes_.size(); ++c)
        magnitudes_[c] += weights[static_cast<std::size_t>(j)] / sum *
                          std::abs(static_cast<double>(heads_.row(heads_.v, head, j)[c]));
  }

  Heads heads_;
  const float* expected_;
  const float* got_;
  std::vector<double> longest_key_;     // of each head
  std::vector<double> greatest_value_;  // of each head
  std::int64_t row_ = -1;               // the query whose bound is known
  double relative_ = 0;                 // exp(e) - 1
  std::vector<double> magnitudes_;
};

// Calls judge(expected, got). Of a mistake that gives NaN, NaN is what is expected: where both are, they become 0.
template <class Judge>
Judgement with_nan_like_nan(const std::vector<Array>& expected, const std::vector<Array>& got, const Judge& judge) {
  const std::size_t count = element_count(expected.at(0));
  const float* const want = elements<float>(expected[0]);
  if (std::none_of(want, want + count, [](float x) { return std::isnan(x); })) return judge(expected, got);
  std::vector<Array> left = expected;
  std::vector<Array> right = got;
  for (std::size_t i = 0; i < count; ++i)
    if (std::isnan(want[i]) && std::isnan(elements<float>(right[0])[i]))
      elements<float>(left[0])[i] = elements<float>(right[0])[i] = 0;
  return judge(left, right);
}

}  // namespace

Judgement judge_softmax(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got) {
  const Array& x = problem.inputs.at(0);
  const auto cols = static_cast<std::size_t>(x.shape[1]);
  const float* const from = elements<float>(x);
  const double of_sums = 16 * std::sqrt(static_cast<double>(cols));
  return with_nan_like_nan(expected, got, [&](const std::vector<Array>& right, const std::vector<Array>& outputs) {
    const float* const want = elements<float>(right[0]);
    std::size_t row = SIZE_MAX;
    double greatest = 0;
    return judge_bound(
        right, outputs,
        [&](std::size_t, std::size_t index) {
          if (index / cols != row) {
            row = index / cols;
            greatest = *std::max_element(from + row * cols, from + (row + 1) * cols);
          }
          const double unit = std::ldexp(of_sums + 8 * (greatest - from[index]), -24);
          return unit * want[index] + std::ldexp(1.0, -125);
        },
        "at most (16 sqrt(cols) + 8 (m - x)) 2^-24 times itself apart, m being the row's maximum");
  });
}

Judgement judge_attention(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got) {
  return with_nan_like_nan(expected, got, [&](const std::vector<Array>& right, const std::vector<Array>& outputs) {
    AttentionBound bound(problem, right[0], outputs[0]);
    return judge_bound(
        right, outputs, [&bound](std::size_t, std::size_t index) { return bound(index); },
        "no farther apart than rounding each operand to TF32 can move it");
  });
}

bool resembles(const Problem&, const std::vector<Array>& a, const std::vector<Array>& b) {
  const float* const left = elements<float>(a.at(0));
  const float* const right = elements<float>(b.at(0));
  const std::size_t count = element_count(a.at(0));
  double greatest = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (std::isfinite(left[i])) greatest = std::max(greatest, std::abs(static_cast<double>(left[i])));
  for (std::size_t i = 0; i < count; ++i) {
    if (left[i] == right[i] || (std::isnan(left[i]) && std::isnan(right[i]))) continue;
    const double apart = std::abs(static_cast<double>(left[i]) - right[i]);
    if (!(apart <= 1e-3 * std::abs(static_cast<double>(left[i])) + 1e-4 * greatest)) return false;
  }
  return true;
}

}  // namespace lanewise::labs::attention_lab
