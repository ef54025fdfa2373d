// Random numbers for test data: the same bytes for the same seed on every platform and with every compiler.
// (The standard library's engines are portable; its distributions and std::shuffle are not.)
//
// All of it is inline: an oracle.cpp may include it, and has no library of ours.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace lanewise {

/// The mixing function of SplitMix64: a bijection of 64 bits with unrelated values for neighbours.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/// SplitMix64: a 64-bit counter run through a mixing function. Used to spread a seed over a larger state.
/// Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants as in
/// S. Vigna's public-domain splitmix64.c.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15u;
    return mixed(state_);
  }

 private:
  std::uint64_t state_;
};

/// The seed of part `index` of a data set whose seed is `seed`: parts made by threads, each with its own numbers.
/// It is output `index` of SplitMix64(mixed(seed)).
constexpr std::uint64_t seed_of_part(std::uint64_t seed, std::int64_t index) {
  return mixed(mixed(seed) + (static_cast<std::uint64_t>(index) + 1) * 0x9E3779B97F4A7C15u);
}

/// xoshiro256**: 256 bits of state, period 2^256 - 1.
/// Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS 47(4), 2021.
class Random {
 public:
  /// State from SplitMix64(seed), as the authors recommend: neighbouring seeds give unrelated sequences.
  explicit Random(std::uint64_t seed) : state_{} {
    SplitMix64 spread(seed);
    for (auto& word : state_) word = spread.next();
  }

  /// Explicit state, not all zero; for tests against published values.
  explicit Random(const std::array<std::uint64_t, 4>& state) : state_(state) {}

  /// 64 random bits.
  std::uint64_t next() {
    const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate_left(state_[3], 45);
    return result;
  }

  /// An integer in [0, bound), all equally likely; `bound` must be positive.
  /// Draws as many bits as the bound needs, and redraws while the value is too large: fewer than two draws on average,
  /// and unlike a remainder, no bias.
  std::uint64_t below(std::uint64_t bound) {
    assert(bound > 0);
    if (bound == 1) return 0;
    // The upper bits are kept: they are the better ones of any generator that multiplies last.
    const int unused = __builtin_clzll(bound - 1);
    for (;;) {
      const std::uint64_t value = next() >> unused;
      if (value < bound) return value;
    }
  }

  /// An integer in [low, high], both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    assert(low <= high);
    const std::uint64_t last = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const std::uint64_t offset = last == UINT64_MAX ? next() : below(last + 1);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + offset);
  }

  /// A float in [low, high), in steps of at most (high - low) / 2^53 before rounding to float; low < high, both finite.
  float uniform(float low, float high) {
    assert(low < high && low - low == 0 && high - high == 0);
    for (;;) {
      const double unit = static_cast<double>(next() >> 11) * 0x1.0p-53;
      const auto value = static_cast<float>(low + unit * (static_cast<double>(high) - low));
      if (value < high) return value;  // rounding to float can reach `high`, which is not in the range
    }
  }

 private:
  static constexpr std::uint64_t rotate_left(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

  std::array<std::uint64_t, 4> state_;
};

/// Puts `items` in random order, every order equally likely (Fisher and Yates, from the back).
template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t remaining = items.size(); remaining > 1; --remaining)
    std::swap(items[remaining - 1], items[random.below(remaining)]);
}

}  // namespace lanewise
