// How the C++ values of a reference stand for PTX registers, and how a result is held against what was expected.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>

namespace vgpu::test {

/// Wide enough for products and sums of 64-bit integers; ISO C++ has no such type.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

/// What a register is declared as. Bit types fit operands of every type of their size.
enum class RegisterKind : std::uint8_t { kPred, k16, k32, k64 };

template <class To, class From>
To bits_to(From from) {
  static_assert(sizeof(To) == sizeof(From), "only the type changes, not the bits");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// A single-precision result that may be off: by so many units in the last place of the exact value or by an absolute
/// amount, whichever is more.
struct Near {
  double exact = 0;
  double ulps = 0;
  double absolute = 0;
};

/// The same for double precision, as a relative error.
struct NearDouble {
  double exact = 0;
  double relative = 0;
};

/// A double whose NaN may carry any sign and payload.
struct AnyNan {
  double value = 0;
};

/// A double that, if it is NaN, is that of one of the operands, made quiet; PTX leaves open of which. Without a NaN
/// among the operands it is the default one.
struct PassedOnNan {
  double value = 0;
  std::array<double, 3> operands{};
};

inline std::string hexadecimal(std::uint64_t value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%0*llx", digits, static_cast<unsigned long long>(value));
  return text;
}

inline std::string decimal(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// Registers of T: `kKind`, the value held in a register's bits, whether bits are what was expected, and words for
/// messages.
template <class T>
struct Operand {
  static_assert(std::is_arithmetic_v<T>, "an operand is a number or one of the types below");
  static constexpr RegisterKind kKind = sizeof(T) <= 2   ? RegisterKind::k16
                                        : sizeof(T) == 4 ? RegisterKind::k32
                                                         : RegisterKind::k64;
  static T from(std::uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  static std::uint64_t to(T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
  }
  static bool matches(T expected, std::uint64_t got) { return to(expected) == (got & mask()); }
  static std::string text(T value) {
    std::string words = hexadecimal(to(value), 2 * sizeof(T));
    if constexpr (std::is_floating_point_v<T>) words += " (" + decimal(static_cast<double>(value)) + ")";
    return words;
  }

 private:
  static constexpr std::uint64_t mask() {
    return sizeof(T) == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * sizeof(T)) - 1;
  }
};

template <>
struct Operand<bool> {
  static constexpr RegisterKind kKind = RegisterKind::kPred;
  static bool from(std::uint64_t bits) { return bits != 0; }
  static std::uint64_t to(bool value) { return value ? 1 : 0; }
  static bool matches(bool expected, std::uint64_t got) { return expected == (got != 0); }
  static std::string text(bool value) { return value ? "true" : "false"; }
};

template <>
struct Operand<Near> {
  static constexpr RegisterKind kKind = RegisterKind::k32;
  static bool matches(const Near& expected, std::uint64_t bits) {
    const auto got = bits_to<float>(static_cast<std::uint32_t>(bits));
    const auto nearest = static_cast<float>(expected.exact);
    if (std::isnan(nearest)) return static_cast<std::uint32_t>(bits) == 0x7FFFFFFF;  // the one NaN of single precision
    if (std::isinf(nearest)) return got == nearest;
    if (std::isnan(got)) return false;
    int exponent = 0;
    std::frexp(expected.exact, &exponent);
    const double ulp = std::ldexp(1.0, std::max(exponent - 24, -149));
    const double allowed = std::max(expected.ulps * ulp, expected.absolute);
    return std::fabs(static_cast<double>(got) - expected.exact) <= allowed;
  }
  static std::string text(const Near& value) {
    return decimal(value.exact) + " within " + decimal(value.ulps) + " ulp or " + decimal(value.absolute);
  }
};

template <>
struct Operand<NearDouble> {
  static constexpr RegisterKind kKind = RegisterKind::k64;
  static bool matches(const NearDouble& expected, std::uint64_t bits) {
    const auto got = bits_to<double>(bits);
    if (std::isnan(expected.exact)) return std::isnan(got);
    if (std::isinf(expected.exact) || expected.exact == 0)
      return got == expected.exact && std::signbit(got) == std::signbit(expected.exact);
    return std::fabs(got - expected.exact) <= expected.relative * std::fabs(expected.exact);
  }
  static std::string text(const NearDouble& value) {
    return decimal(value.exact) + " within " + decimal(value.relative) + " of it";
  }
};

template <>
struct Operand<AnyNan> {
  static constexpr RegisterKind kKind = RegisterKind::k64;
  static bool matches(const AnyNan& expected, std::uint64_t bits) {
    if (std::isnan(expected.value)) return std::isnan(bits_to<double>(bits));
    return Operand<double>::matches(expected.value, bits);
  }
  static std::string text(const AnyNan& value) { return Operand<double>::text(value.value); }
};

template <>
struct Operand<PassedOnNan> {
  static constexpr RegisterKind kKind = RegisterKind::k64;
  static bool matches(const PassedOnNan& expected, std::uint64_t bits) {
    if (!std::isnan(expected.value)) return Operand<double>::matches(expected.value, bits);
    constexpr std::uint64_t kQuiet = 0x0008000000000000, kDefault = 0xFFF8000000000000;
    bool any = false;
    for (const double operand : expected.operands) {
      if (!std::isnan(operand)) continue;
      any = true;
      if (bits == (Operand<double>::to(operand) | kQuiet)) return true;
    }
    return !any && bits == kDefault;
  }
  static std::string text(const PassedOnNan& value) { return Operand<double>::text(value.value); }
};

}  // namespace vgpu::test
