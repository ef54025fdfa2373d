// Judges accelerations. Right results are accepted at a glance; only a component that is off by more than the least
// that S can be needs S itself.
#include "labs/nbody/judge.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "labs/nbody/bodies.h"

namespace lanewise::labs::nbody_lab {
namespace {

class ErrorBound {
 public:
  ErrorBound(const Problem& problem, const Array& expected, const Array& got)
      : bodies_(problem), expected_(elements<float>(expected)), got_(elements<float>(got)) {
    const auto n = static_cast<double>(bodies_.n);
    unit_ = (32 + std::min(n, 16 * std::sqrt(n))) * 0x1p-24;
    // d / (d^2 + s^2)^(3/2) is greatest where d is s / sqrt(2): 2 / (3 sqrt(3) s^2), which is less than 0.4 / s^2.
    const double mass = std::accumulate(bodies_.mass.begin(), bodies_.mass.end(), 0.0);
    most_ = 0.4 * mass / (bodies_.softening * bodies_.softening);
  }

  double operator()(std::size_t index) {
    constexpr double kLost = 0x1p-120;
    const double want = expected_[index];
    const double error = std::abs(want - static_cast<double>(got_[index]));
    const double least = unit_ * std::abs(want) + kLost;
    // Asked this way round, so that NaN, which is never right, does not cost a sum of its own for each body.
    if (!(error > least && error <= unit_ * most_ + kLost)) return least;
    const std::int64_t body = bodies_.first + static_cast<std::int64_t>(index / 3);
    if (body != body_) {
      body_ = body;
      magnitudes_ = sums_of_magnitudes(bodies_, body);
    }
    const double sums[] = {magnitudes_.x, magnitudes_.y, magnitudes_.z};
    return unit_ * sums[index % 3] + kLost;
  }

 private:
  Bodies bodies_;
  const float* expected_;
  const float* got_;
  double unit_ = 0;         // the error allowed for S = 1
  double most_ = 0;         // what S can be at most
  std::int64_t body_ = -1;  // whose magnitudes are known
  Vector magnitudes_;
};

}  // namespace

Judgement judge(const Problem& problem, const std::vector<Array>& expected, const std::vector<Array>& got) {
  ErrorBound bound(problem, expected.at(0), got.at(0));
  return judge_bound(
      expected, got, [&bound](std::size_t, std::size_t index) { return bound(index); },
      "at most (32 + min(n, 16 sqrt(n))) 2^-24 times the sum of the absolute values of its n terms apart");
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
    if (!(apart <= 1e-4 * std::abs(static_cast<double>(left[i])) + 1e-5 * greatest)) return false;
  }
  return true;
}

}  // namespace lanewise::labs::nbody_lab
