// The positions of values along an axis, and which of them get a tick.
#pragma once

#include <string>
#include <vector>

namespace lanewise {

/// A mapping of [low, high] to pixels.
class Axis {
 public:
  /// From 0 to at least `high`, which is positive.
  static Axis linear(double high, double begin, double end);
  /// From at most `low` to at least `high`, both positive; ends at powers of ten, or at 2 or 5 times one.
  static Axis logarithmic(double low, double high, double begin, double end);

  double at(double value) const;
  const std::vector<double>& ticks() const { return ticks_; }
  bool is_logarithmic() const { return is_logarithmic_; }

 private:
  bool is_logarithmic_ = false;
  double low_ = 0;
  double high_ = 1;
  double begin_ = 0;
  double end_ = 1;
  std::vector<double> ticks_;
};

/// "2,000", "0.05"
std::string tick_text(double value);

/// "2²⁰" for a power of two from 1024 on, otherwise the number itself.
std::string size_text(double size);

}  // namespace lanewise
