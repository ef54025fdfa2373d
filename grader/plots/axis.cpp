// Marks stand at 1, 2 and 5 times powers of ten.
#include "grader/plots/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "harness/lab/number_text.h"

namespace lanewise {
namespace {

constexpr double kSteps[] = {1, 2, 5, 10};
constexpr double kMarkedByPowers = 200;  // from this span on, only powers of ten have marks

// The largest of 1, 2 or 5 times a power of ten that is not above `value`.
double round_down(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  double result = power;
  for (const double step : kSteps)
    if (step * power <= value * (1 + 1e-9)) result = step * power;
  return result;
}

double round_up(double value) {
  const double below = round_down(value);
  if (below >= value * (1 - 1e-9)) return below;
  const double power = std::pow(10, std::floor(std::log10(below) + 1e-9));
  for (const double step : kSteps)
    if (step * power > below * (1 + 1e-9)) return step * power;
  return 10 * power;
}

}  // namespace

Axis Axis::linear(double high, double begin, double end) {
  Axis axis;
  axis.begin_ = begin;
  axis.end_ = end;
  const double step = round_up(high / 6);
  axis.high_ = step * std::ceil(high / step - 1e-9);
  for (int i = 0; i * step <= axis.high_ * (1 + 1e-9); ++i) axis.ticks_.push_back(i * step);
  return axis;
}

Axis Axis::logarithmic(double low, double high, double begin, double end) {
  Axis axis;
  axis.is_logarithmic_ = true;
  axis.begin_ = begin;
  axis.end_ = end;
  axis.low_ = round_down(low);
  axis.high_ = std::max(round_up(high), 2 * axis.low_);
  const bool is_long = axis.high_ / axis.low_ > kMarkedByPowers;
  if (is_long) {
    axis.low_ = std::pow(10, std::floor(std::log10(axis.low_) + 1e-9));
    axis.high_ = std::pow(10, std::ceil(std::log10(axis.high_) - 1e-9));
  }
  for (double tick = axis.low_; tick <= axis.high_ * (1 + 1e-9);) {
    const bool is_power = std::abs(std::log10(tick) - std::round(std::log10(tick))) < 1e-9;
    if (is_power || !is_long) axis.ticks_.push_back(tick);
    tick = round_up(tick * 1.01);
  }
  return axis;
}

double Axis::at(double value) const {
  const double share = is_logarithmic_ ? std::log(std::max(value, low_) / low_) / std::log(high_ / low_)
                                       : (value - low_) / (high_ - low_);
  return begin_ + share * (end_ - begin_);
}

std::string tick_text(double value) {
  if (value >= 1000) return with_commas(static_cast<std::int64_t>(std::llround(value)));
  return fmt::format("{:.4g}", value);
}

std::string size_text(double size) {
  const int exponent = static_cast<int>(std::lround(std::log2(size)));
  if (exponent < 10 || std::exp2(exponent) != size) return tick_text(size);
  constexpr const char* kRaised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "2";
  for (const char digit : fmt::format("{}", exponent)) text += kRaised[digit - '0'];
  return text;
}

}  // namespace lanewise
