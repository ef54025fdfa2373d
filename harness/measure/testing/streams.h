// Streams of samples with known true values: the same with every standard library and on every machine.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lanewise::measure::testing {

/// SplitMix64 (G. Steele, D. Lea, C. Flood, OOPSLA '14): numbers between 0 and 1, both excluded.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : state_(seed) {}
  double next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return (static_cast<double>((z ^ (z >> 31)) >> 11) + 0.5) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_;
};

/// Evenly spread over value × (1 ± share).
inline std::vector<double> noisy(std::size_t count, double value, double share, std::uint64_t seed) {
  Uniform uniform(seed);
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(value * (1 + share * (2 * uniform.next() - 1)));
  return samples;
}

/// From `first` to `last` in equal steps.
inline std::vector<double> drifting(std::size_t count, double first, double last) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back(first + (last - first) * static_cast<double>(i) / static_cast<double>(count - 1));
  return samples;
}

/// A Pareto distribution of exponent 1.5, which has no variance; `value` is its minimum.
inline std::vector<double> heavy_tailed(std::size_t count, double value, std::uint64_t seed) {
  Uniform uniform(seed);
  std::vector<double> samples;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(value * std::pow(uniform.next(), -1 / 1.5));
  return samples;
}
inline const double kHeavyTailedMedian = std::pow(2.0, 1 / 1.5);

/// Every other sample near one value, the rest near the other; a hundredth around either.
inline std::vector<double> two_humps(std::size_t count, double low, double high, std::uint64_t seed) {
  std::vector<double> samples = noisy(count, low, 0.01, seed);
  for (std::size_t i = 1; i < count; i += 2) samples[i] *= high / low;
  return samples;
}

}  // namespace lanewise::measure::testing
