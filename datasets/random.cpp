// Seeding and the derived draws; the generator itself is inline in the header, since data sets draw billions.
#include "datasets/random.h"

#include <cassert>
#include <cmath>

namespace lanewise {

std::uint64_t SplitMix64::next() {
  state_ += 0x9E3779B97F4A7C15u;
  return mixed(state_);
}

Random::Random(std::uint64_t seed) : state_{} {
  SplitMix64 spread(seed);
  for (auto& word : state_) word = spread.next();
}

std::uint64_t Random::below(std::uint64_t bound) {
  assert(bound > 0);
  if (bound == 1) return 0;
  // The upper bits are kept: they are the better ones of any generator that multiplies last.
  const int unused = __builtin_clzll(bound - 1);
  for (;;) {
    const std::uint64_t value = next() >> unused;
    if (value < bound) return value;
  }
}

std::int64_t Random::between(std::int64_t low, std::int64_t high) {
  assert(low <= high);
  const std::uint64_t last = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const std::uint64_t offset = last == UINT64_MAX ? next() : below(last + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
}

float Random::uniform(float low, float high) {
  assert(low < high && std::isfinite(low) && std::isfinite(high));
  for (;;) {
    const double unit = static_cast<double>(next() >> 11) * 0x1.0p-53;
    const auto value = static_cast<float>(low + unit * (static_cast<double>(high) - low));
    if (value < high) return value;  // rounding to float can reach `high`, which is not in the range
  }
}

}  // namespace lanewise
