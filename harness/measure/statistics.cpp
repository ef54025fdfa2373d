// Order statistics and the binomial distribution behind their confidence.
#include "harness/measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace lanewise::measure {
namespace {

// Each tail may hold so much for 95 % to remain between them.
constexpr double kTail = 0.025;

// Of sorted samples, at `position` between 0 and their number less one.
double interpolated(const std::vector<double>& sorted, double position) {
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

double quantile(const std::vector<double>& sorted, double share) {
  return sorted.empty() ? 0 : interpolated(sorted, share * static_cast<double>(sorted.size() - 1));
}

}  // namespace

double median_of(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return quantile(samples, 0.5);
}

Quartiles quartiles_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  return {samples.front(), quantile(samples, 0.25), quantile(samples, 0.5), quantile(samples, 0.75)};
}

std::size_t outside_interval(std::size_t count) {
  // Sums P(X = k) of the binomial from k = 0; through logarithms, for 2^-count is no double once count passes 1,074.
  const auto n = static_cast<double>(count);
  double sum = 0;
  std::size_t outside = 0;
  for (std::size_t k = 0; 2 * k < count; ++k) {
    const auto below = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(below + 1) - std::lgamma(n - below + 1) - n * std::log(2.0));
    if (sum > kTail) break;
    outside = k;
  }
  return outside;
}

Estimate median_with_interval(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const std::size_t outside = outside_interval(samples.size());
  return {quantile(samples, 0.5), samples[outside], samples[samples.size() - 1 - outside]};
}

std::vector<double> paired_ratios(const std::vector<double>& samples, const std::vector<double>& others) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(samples.size(), others.size()); ++i)
    if (samples[i] > 0 && others[i] > 0) ratios.push_back(samples[i] / others[i]);
  return ratios;
}

std::vector<double> counted(const std::vector<double>& samples) {
  std::vector<double> above;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(above), [](double each) { return each > 0; });
  return above;
}

Estimate at_least_as_wide(Estimate estimate, double share) {
  estimate.low = std::min(estimate.low, estimate.value * (1 - share));
  estimate.high = std::max(estimate.high, estimate.value * (1 + share));
  return estimate;
}

double relative_half_width(const Estimate& estimate) {
  return estimate.value > 0 ? (estimate.high - estimate.low) / 2 / estimate.value : 0;
}

}  // namespace lanewise::measure
