// The two 16-bit floating-point formats as references see them: values by definition, and roundings that are searched
// for among a format's numbers, not computed.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "harness/vgpu/machine/testing/edge_values.h"
#include "harness/vgpu/machine/testing/exact_floats.h"

namespace vgpu::test {

struct Binary16 {
  static constexpr const char* kName = "f16";
  static constexpr int kMantissaBits = 10, kBias = 15;
  static constexpr std::uint16_t kInfinity = 0x7C00, kOne = 0x3C00;
};
struct Brain16 {
  static constexpr const char* kName = "bf16";
  static constexpr int kMantissaBits = 7, kBias = 127;
  static constexpr std::uint16_t kInfinity = 0x7F80, kOne = 0x3F80;
};

/// The one NaN of either that arithmetic and conversions of floats give.
inline constexpr std::uint16_t kNan16 = 0x7FFF;

template <class Format>
bool is_nan(std::uint16_t bits) {
  return (bits & 0x7FFF) > Format::kInfinity;
}

template <class Format>
double value_of(std::uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int magnitude = bits & 0x7FFF;
  const int exponent = magnitude >> Format::kMantissaBits, mantissa = magnitude & ((1 << Format::kMantissaBits) - 1);
  if (magnitude > Format::kInfinity) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude == Format::kInfinity) return sign * std::numeric_limits<double>::infinity();
  const int unit = (exponent == 0 ? 1 : exponent) - Format::kBias - Format::kMantissaBits;
  return sign * std::ldexp(mantissa + (exponent == 0 ? 0 : 1 << Format::kMantissaBits), unit);
}

/// `value` in the direction of `mode`, one of <cfenv>'s.
template <class Format, class Wide>
std::uint16_t nearby(Wide value, int mode) {
  if (value != value) return kNan16;
  const bool negative = value < 0 || (value == 0 && std::signbit(static_cast<double>(value)));
  const Wide magnitude = negative ? -value : value;
  const auto with_sign = [&](unsigned bits) { return static_cast<std::uint16_t>(bits | (negative ? 0x8000 : 0)); };
  if (magnitude == static_cast<Wide>(std::numeric_limits<double>::infinity())) return with_sign(Format::kInfinity);
  // The greatest finite number that is not above: positive ones are ordered as integers are.
  unsigned low = 0, high = Format::kInfinity;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    (static_cast<Wide>(value_of<Format>(static_cast<std::uint16_t>(middle))) <= magnitude ? low : high) = middle;
  }
  const Wide below = value_of<Format>(static_cast<std::uint16_t>(low));
  if (below == magnitude) return with_sign(low);
  const Wide above = low + 1u == Format::kInfinity ? std::ldexp(1.0, Format::kBias + 1)  // as if there were one more
                                                   : value_of<Format>(static_cast<std::uint16_t>(low + 1));
  bool up = mode == (negative ? FE_DOWNWARD : FE_UPWARD);
  if (mode == FE_TONEAREST)
    up = magnitude - below > above - magnitude || (magnitude - below == above - magnitude && low % 2 == 1);
  return with_sign(low + (up ? 1 : 0));
}

/// The same for a double in double precision, whose NaN keep their sign and the upper bits of their payload, made
/// quiet.
template <class Format>
std::uint16_t nearby_of_double(double value, int mode) {
  if (!std::isnan(value)) return nearby<Format>(value, mode);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint64_t payload = (bits & 0x000FFFFFFFFFFFFF) >> (52 - Format::kMantissaBits);
  return static_cast<std::uint16_t>((std::signbit(value) ? 0x8000u : 0u) | Format::kInfinity |
                                    1u << (Format::kMantissaBits - 1) | payload);
}

/// The exact result, rounded to odd in 113 bits; NaN if an operand is.
template <class Format>
Float128 exactly(Operation operation, std::uint16_t a, std::uint16_t b, std::uint16_t c = 0) {
  const Float128 x = value_of<Format>(a), y = value_of<Format>(b), z = value_of<Format>(c);
  return to_odd<Float128>([&]() -> Float128 {
    volatile Float128 u = x, v = y, w = z;
    switch (operation) {
      case Operation::kAdd:
        return u + v;
      case Operation::kSubtract:
        return u - v;
      case Operation::kMultiply:
        return u * v;
      default:
        return u * v + w;
    }
  });
}

/// Subnormals as zeros of their sign.
template <class Format>
std::uint16_t flushed(std::uint16_t bits) {
  return static_cast<std::uint16_t>((bits & 0x7FFF) >> Format::kMantissaBits == 0 ? bits & 0x8000 : bits);
}

/// As .ftz rounds: to zero if the result, rounded as if exponents had no end, is below the normal numbers.
template <class Format>
std::uint16_t nearby_or_zero(Float128 exact) {
  const Float128 scale = 4096;
  const double rounded = value_of<Format>(nearby<Format>(exact * scale, FE_TONEAREST));
  const bool tiny = std::fabs(rounded) < std::ldexp(4096.0, 1 - Format::kBias);
  const std::uint16_t bits = nearby<Format>(exact, FE_TONEAREST);
  return static_cast<std::uint16_t>(tiny ? bits & 0x8000 : bits);
}

/// As .sat does: to [0, 1], NaN becomes 0.
template <class Format>
std::uint16_t saturated(std::uint16_t bits) {
  if (is_nan<Format>(bits) || (bits & 0x8000) != 0) return 0;
  return std::min(bits, Format::kOne);
}

/// As .relu does: to no less than 0.
inline std::uint16_t rectified(std::uint16_t bits) { return (bits & 0x8000) != 0 ? std::uint16_t{0} : bits; }

/// Both zeros, subnormals, the ends of the normal range, numbers around 1, factors of ties, infinities, quiet and
/// signalling NaNs with payloads.
template <class Format>
std::vector<std::uint16_t> edge_elements() {
  constexpr int kImplicit = 1 << Format::kMantissaBits;
  std::vector<int> magnitudes{0, 1, 2, 3, kImplicit / 2, kImplicit - 2, kImplicit - 1};
  for (const int at :
       {kImplicit, 2 * kImplicit, Format::kOne - 2 * kImplicit, Format::kOne - kImplicit, int{Format::kOne},
        Format::kOne + kImplicit, Format::kOne + 10 * kImplicit, Format::kInfinity - kImplicit})
    for (const int off : {-1, 0, 1, kImplicit / 2 + 1}) magnitudes.push_back(at + off);
  for (const double value : {3.0, 7.0, 10.0, 37.0, 100.0, 0.1, 1.0 / 3})
    magnitudes.push_back(nearby<Format>(value, FE_TONEAREST));
  for (const int magnitude :
       {Format::kInfinity - 2, Format::kInfinity - 1, int{Format::kInfinity}, Format::kInfinity + 1,
        Format::kInfinity + kImplicit / 2, Format::kInfinity + kImplicit / 2 + 5, 0x7FFF})
    magnitudes.push_back(magnitude);
  std::vector<std::uint16_t> elements;
  for (const int magnitude : magnitudes)
    for (const int sign : {0, 0x8000}) elements.push_back(static_cast<std::uint16_t>(magnitude | sign));
  return elements;
}

/// Every one of the 65,536. With sanitizers every 17th: all results are compared without them as well.
inline std::vector<std::tuple<std::uint16_t>> all_elements() {
#if defined(LANEWISE_SANITIZED)
  constexpr unsigned kStep = 17;
#else
  constexpr unsigned kStep = 1;
#endif
  std::vector<std::tuple<std::uint16_t>> rows;
  for (unsigned bits = 0; bits < 0x10000; bits += kStep) rows.emplace_back(static_cast<std::uint16_t>(bits));
  return rows;
}

/// An instruction's text from its pieces.
template <class... Piece>
std::string joined(const Piece&... pieces) {
  std::string text;
  (text.append(pieces), ...);
  return text;
}

/// Rows of pairs, made of rows of elements: of each the lower half, of another one the upper.
template <class... Element>
auto in_pairs(const std::vector<std::tuple<Element...>>& rows) {
  std::vector<std::tuple<decltype(std::uint32_t{} + Element{})...>> pairs;
  for (std::size_t i = 0; i < rows.size(); ++i)
    pairs.push_back(std::apply(
        [&](auto... lower) {
          return std::apply(
              [&](auto... upper) { return std::make_tuple(std::uint32_t{lower} | std::uint32_t{upper} << 16 ...); },
              rows[(7 * i + 3) % rows.size()]);
        },
        rows[i]));
  return pairs;
}

/// reference(elements...) of the lower halves and of the upper ones.
template <class F, class... Pair>
std::uint32_t on_pairs(F reference, Pair... pairs) {
  const std::uint16_t lower = reference(static_cast<std::uint16_t>(pairs)...);
  const std::uint16_t upper = reference(static_cast<std::uint16_t>(pairs >> 16)...);
  return std::uint32_t{lower} | std::uint32_t{upper} << 16;
}

/// An element that may be off by a share of the exact value or by an absolute amount, whichever is more.
template <class Format>
struct NearElement {
  double exact = 0;
  double relative = 0;
  double absolute = 0;
};

template <class Format>
struct Operand<NearElement<Format>> {
  static constexpr RegisterKind kKind = RegisterKind::k16;
  static bool matches(const NearElement<Format>& expected, std::uint64_t bits) {
    const auto got = static_cast<std::uint16_t>(bits);
    const std::uint16_t nearest = nearby<Format>(expected.exact, FE_TONEAREST);
    if ((nearest & 0x7FFF) >= Format::kInfinity) return got == nearest;
    const double error = std::fabs(value_of<Format>(got) - expected.exact);
    return error <= std::max(expected.relative * std::fabs(expected.exact), expected.absolute);
  }
  static std::string text(const NearElement<Format>& value) {
    return decimal(value.exact) + " within " + decimal(value.relative) + " of it or " + decimal(value.absolute);
  }
};

}  // namespace vgpu::test
