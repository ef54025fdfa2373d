// The two 16-bit floating-point formats, one element at a time: what they stand for, and rounding into them.
//
// Arithmetic on 16-bit floats is done in a wider type and rounded once at the end. Where the wider result is itself
// rounded, it has to be so in a way that the second rounding cannot notice; each operation says why it is.
#pragma once

#include "harness/vgpu/machine/opcodes/float_lanes.h"

namespace vgpu {
namespace {

/// Every NaN that arithmetic and conversions give in either format is this one (PTX ISA; seen on an H200).
constexpr std::uint16_t kCanonicalHalfNan = 0x7FFF;

/// Rounds a double into a format once, in any direction. 53 bits hold anything that is converted here.
template <class Format>
std::uint16_t rounded_to(double value, Rounding mode) {
  const std::uint64_t bits = bits_of(value);
  const std::uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFFu;
  const std::uint32_t sign = static_cast<std::uint32_t>(bits >> 48) & 0x8000u;
  if (magnitude > 0x7FF0000000000000u) return kCanonicalHalfNan;
  const bool nearest = mode == Rounding::kNearest;
  const bool away = (mode == Rounding::kUp && sign == 0) || (mode == Rounding::kDown && sign != 0);
  // Subnormals of the format have the exponent of its least normal numbers, so they lose more bits.
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const int unit = exponent > Format::kLeastExponent ? exponent : Format::kLeastExponent;
  const int lost = 52 - Format::kMantissaBits + (unit - exponent < 55 ? unit - exponent : 55);
  const std::uint64_t significand = (magnitude & 0xFFFFFFFFFFFFFu) | (magnitude >> 52 != 0 ? 0x10000000000000u : 0u);
  std::uint64_t code = 0, rest = significand, half = ~std::uint64_t{0};
  if (lost < 64) {
    code = significand >> lost;
    rest = significand & ((std::uint64_t{1} << lost) - 1);
    half = std::uint64_t{1} << (lost - 1);
  }
  if (nearest ? rest > half || (rest == half && (code & 1) != 0) : away && rest != 0) ++code;
  // The leading bit of a normal number adds one to the exponent field; a carry into it is what the encoding means.
  code += static_cast<std::uint64_t>(unit - Format::kLeastExponent) << Format::kMantissaBits;
  if (code >= Format::kInfinity) {
    const bool infinite = magnitude == 0x7FF0000000000000u || nearest || away;
    code = infinite ? Format::kInfinity : Format::kInfinity - 1;
  }
  return static_cast<std::uint16_t>(sign | code);
}

/// The same to nearest even, without a branch, for loops over lanes.
template <class Format>
inline std::uint16_t nearest_to(double value) {
  constexpr int kLost = 52 - Format::kMantissaBits;
  constexpr std::uint64_t kLeastNormal = static_cast<std::uint64_t>(1023 + Format::kLeastExponent) << 52;
  constexpr std::uint64_t kBias = kLeastNormal - (std::uint64_t{1} << 52);
  const std::uint64_t bits = bits_of(value);
  const std::uint64_t magnitude = bits & 0x7FFFFFFFFFFFFFFFu;
  // Added to a number whose last bit is worth the format's least one, a subnormal is rounded by the host.
  const std::uint64_t subnormal =
      bits_of(double_from(magnitude) + Format::kOfSubnormalUnit) - bits_of(Format::kOfSubnormalUnit);
  const std::uint64_t normal =
      (magnitude - kBias + ((std::uint64_t{1} << (kLost - 1)) - 1) + (magnitude >> kLost & 1)) >> kLost;
  std::uint64_t code = magnitude < kLeastNormal ? subnormal : normal;
  code = code > Format::kInfinity ? Format::kInfinity : code;
  code |= bits >> 48 & 0x8000u;
  return static_cast<std::uint16_t>(magnitude > 0x7FF0000000000000u ? kCanonicalHalfNan : code);
}

/// IEEE binary16. `widened` is exact, NaN included; `nearest` rounds to nearest even.
struct Half {
  static constexpr int kMantissaBits = 10;
  static constexpr int kLeastExponent = -14;
  static constexpr double kOfSubnormalUnit = 0x1p28;  ///< a double whose last bit is 2^-24
  static constexpr std::uint16_t kInfinity = 0x7C00;
  static constexpr std::uint16_t kOne = 0x3C00;

  static float widened(std::uint16_t bits) {
    // The exponents are 112 apart: multiplying makes normal numbers of subnormal ones as well.
    const float magnitude = float_from(static_cast<std::uint32_t>(bits & 0x7FFF) << 13) * 0x1p112f;
    const std::uint32_t not_finite = (bits & 0x7C00) == 0x7C00 ? 0x7F800000u : 0u;
    return float_from(bits_of(magnitude) | not_finite | static_cast<std::uint32_t>(bits & 0x8000) << 16);
  }

  static std::uint16_t nearest(float value) {
    const std::uint32_t bits = bits_of(value);
    const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
    // Added to 1/2, whose last bit is worth 2^-24, a subnormal is rounded by the host.
    const std::uint32_t subnormal = bits_of(float_from(magnitude) + 0.5f) - bits_of(0.5f);
    const std::uint32_t normal = (magnitude - (112u << 23) + 0xFFFu + (magnitude >> 13 & 1)) >> 13;
    std::uint32_t code = magnitude < (113u << 23) ? subnormal : normal;
    code = magnitude >= 0x477FF000u ? kInfinity : code;  // 65520 and beyond
    code |= bits >> 16 & 0x8000u;
    return static_cast<std::uint16_t>(magnitude > 0x7F800000u ? kCanonicalHalfNan : code);
  }
  static std::uint16_t nearest(double value) { return nearest_to<Half>(value); }
};

/// bfloat16: the upper half of a float.
struct Bfloat16 {
  static constexpr int kMantissaBits = 7;
  static constexpr int kLeastExponent = -126;
  static constexpr double kOfSubnormalUnit = 0x1p-81;  ///< a double whose last bit is 2^-133
  static constexpr std::uint16_t kInfinity = 0x7F80;
  static constexpr std::uint16_t kOne = 0x3F80;

  static float widened(std::uint16_t bits) { return float_from(static_cast<std::uint32_t>(bits) << 16); }

  static std::uint16_t nearest(float value) {
    const std::uint32_t bits = bits_of(value);
    const std::uint32_t code = (bits + 0x7FFFu + (bits >> 16 & 1)) >> 16;  // carries to infinity by itself
    return static_cast<std::uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? kCanonicalHalfNan : code);
  }
  static std::uint16_t nearest(double value) { return nearest_to<Bfloat16>(value); }
};

/// x + y rounded to odd: an inexact sum becomes that of its two neighbours whose last bit is set, which tells any later
/// rounding to fewer bits (two fewer at least) on which side of its ties and exact values the sum lies (Boldo and
/// Melquiond, 2008). The error of a sum is a number itself, found without any error of its own (Knuth's two-sum).
template <class T, class Bits>
inline T sum_to_odd(T x, T y) {
  const T sum = x + y;
  const T part = sum - x;
  const T error = (x - (sum - part)) + (y - part);
  const Bits bits = bits_of(sum);
  // An even last bit moves towards where the error points. Infinities and NaN come with an error that is NaN: they
  // stay.
  const Bits inexact = static_cast<Bits>(error > 0) | static_cast<Bits>(error < 0);
  const Bits inward = (bits ^ bits_of(error)) >> (8 * sizeof(Bits) - 1);
  const Bits move = inexact & ~bits & 1;
  const Bits odd = bits + move - 2 * (move & inward);
  T result;
  std::memcpy(&result, &odd, sizeof result);
  return result;
}

/// An integer as a double that rounds to either format as the integer itself does: what does not fit is kept as one
/// last bit, far below the bits that those formats have.
inline double to_double_for_rounding(std::uint64_t value) {
  if (value >> 53 != 0) value = (value & ~std::uint64_t{0xFFF}) | ((value & 0xFFF) != 0 ? 0x800u : 0u);
  return static_cast<double>(value);
}
inline double to_double_for_rounding(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? -to_double_for_rounding(std::uint64_t{0} - bits) : to_double_for_rounding(bits);
}

// --- loops over elements: one a lane in 16-bit registers, two in 32-bit ones, the lower half first ---

inline bool is_pair(ptx::Type type) { return type == ptx::Type::kF16x2 || type == ptx::Type::kBF16x2; }
inline bool is_bfloat(ptx::Type type) { return type == ptx::Type::kBF16 || type == ptx::Type::kBF16x2; }

/// to[element] = value(element) for the lanes in `mask`, as set_lanes does it for lanes.
template <int PerLane, class F>
inline __attribute__((always_inline)) void set_elements(std::uint16_t* to, Mask mask, F value) {
  constexpr int kElements = kLanes * PerLane;
  if (mask == kAllLanes) {
#pragma GCC ivdep
    for (int element = 0; element < kElements; ++element) to[element] = value(element);
  } else {
    alignas(64) std::uint16_t all[kElements];
    for (int element = 0; element < kElements; ++element) all[element] = value(element);
    for (int element = 0; element < kElements; ++element)
      to[element] = (mask >> element / PerLane & 1) != 0 ? all[element] : to[element];
  }
}

}  // namespace
}  // namespace vgpu
