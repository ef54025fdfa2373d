// cvt between every pair of number types, with every rounding, .sat and .ftz, from and into registers wider than the
// type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "harness/vgpu/machine/testing/exact_halves.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

template <class T>
std::string name_of() {
  if constexpr (std::is_floating_point_v<T>)
    return "f" + std::to_string(8 * sizeof(T));
  else
    return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

template <class T>
T clamped(Int128 value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(value < Limits::min()   ? Int128{Limits::min()}
                        : value > Limits::max() ? Int128{Limits::max()}
                                                : value);
}

/// Calls f(T{}) for every type in the tuple.
template <class... T, class F>
void for_every(std::tuple<T...>, F f) {
  (f(T{}), ...);
}

/// Calls f(D{}, S{}) for every pair of types in the tuple.
template <class Types, class F>
void for_every_pair(Types types, F f) {
  for_every(types, [&](auto d) { for_every(types, [&](auto s) { f(d, s); }); });
}

using AllIntegers = std::tuple<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::int8_t, std::int16_t,
                               std::int32_t, std::int64_t>;

/// Calls f(Register{}) for every unsigned register type that holds T: cvt takes and gives values in registers wider
/// than their type.
template <class T, class F>
void for_every_register(F f) {
  if constexpr (sizeof(T) <= 2) f(std::uint16_t{});
  if constexpr (sizeof(T) <= 4) f(std::uint32_t{});
  f(std::uint64_t{});
}

/// A value in a wider register, sign-extended if its type is signed.
template <class Register, class T>
Register extended(T value) {
  return static_cast<Register>(static_cast<std::int64_t>(value));
}

TEST(Convert, IntegersKeepTheLowBitsAndTheirSign) {
  for_every_pair(AllIntegers{}, [](auto d, auto s) {
    using D = decltype(d);
    using S = decltype(s);
    const std::string op = "cvt." + name_of<D>() + "." + name_of<S>() + " %d, %a;";
    const std::string saturating = "cvt.sat." + name_of<D>() + "." + name_of<S>() + " %d, %a;";
    for_every_register<D>([&](auto to) {
      for_every_register<S>([&](auto from) {
        using To = decltype(to);
        using From = decltype(from);
        // The upper part of a wider source register is not looked at.
        check(op, [](From a) { return extended<To>(static_cast<D>(static_cast<S>(a))); });
        if constexpr (sizeof(To) == sizeof(D) || sizeof(From) == sizeof(S))
          check(saturating, [](From a) { return extended<To>(clamped<D>(static_cast<S>(a))); });
      });
    });
  });
}

TEST(Convert, IntegersBecomeTheNearestFloatsInTheDirectionAsked) {
  for_every(AllIntegers{}, [](auto s) {
    using S = decltype(s);
    for_every_register<S>([&](auto from) {
      using From = decltype(from);
      for (const Rounding& rounding : kRoundings) {
        const auto single = [&](From a) {
          return narrowed<float>(static_cast<Float128>(static_cast<S>(a)), rounding.mode);
        };
        const auto wide = [&](From a) {
          return narrowed<double>(static_cast<Float128>(static_cast<S>(a)), rounding.mode);
        };
        const std::string r = "cvt" + std::string(rounding.modifier);
        check(r + ".f32." + name_of<S>() + " %d, %a;", [=](From a) { return single(a); });
        check(r + ".f64." + name_of<S>() + " %d, %a;", [=](From a) { return wide(a); });
        if (sizeof(From) != sizeof(S)) continue;
        check(r + ".sat.f32." + name_of<S>() + " %d, %a;", [=](From a) { return saturate(single(a)); });
        check(r + ".sat.f64." + name_of<S>() + " %d, %a;",
              [=](From a) { return wide(a) < 0 ? 0.0 : std::min(wide(a), 1.0); });
      }
    });
  });
}

constexpr Rounding kToIntegral[] = {
    {".rni", FE_TONEAREST}, {".rzi", FE_TOWARDZERO}, {".rmi", FE_DOWNWARD}, {".rpi", FE_UPWARD}};

double integral(double value, int mode) {
  switch (mode) {
    case FE_TOWARDZERO:
      return std::trunc(value);
    case FE_DOWNWARD:
      return std::floor(value);
    case FE_UPWARD:
      return std::ceil(value);
    default: {
      const double below = std::floor(value);
      const double rest = value - below;
      if (rest != 0.5) return std::copysign(rest < 0.5 ? below : below + 1, value);
      return std::copysign(std::fmod(below, 2.0) == 0 ? below : below + 1, value);
    }
  }
}

/// Out of range clamps. NaN gives 0, or the top bit alone where either side has 64 bits.
template <class D, class S>
D integer_from(S value, int mode) {
  if (std::isnan(value))
    return sizeof(D) == 8 || sizeof(S) == 8 ? static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1)) : D{0};
  const double whole = integral(static_cast<double>(value), mode);
  if (whole >= 0x1p100) return std::numeric_limits<D>::max();
  if (whole <= -0x1p100) return std::numeric_limits<D>::min();
  return clamped<D>(static_cast<Int128>(whole));
}

template <class S, class D>
void check_to_integer() {
  for_every_register<D>([&](auto to) {
    using To = decltype(to);
    for (const Rounding& rounding : kToIntegral) {
      const int mode = rounding.mode;
      const std::string types = name_of<D>() + "." + name_of<S>() + " %d, %a;";
      check("cvt" + std::string(rounding.modifier) + "." + types,
            [=](S a) { return extended<To>(integer_from<D>(a, mode)); });
      check("cvt" + std::string(rounding.modifier) + ".sat." + types,
            [=](S a) { return extended<To>(integer_from<D>(a, mode)); });
      if constexpr (sizeof(S) == 4)
        check("cvt" + std::string(rounding.modifier) + ".ftz." + types,
              [=](S a) { return extended<To>(integer_from<D>(flush(a), mode)); });
    }
  });
}

template <class S>
void check_to_every_integer() {
  check_to_integer<S, std::uint8_t>();
  check_to_integer<S, std::uint16_t>();
  check_to_integer<S, std::uint32_t>();
  check_to_integer<S, std::uint64_t>();
  check_to_integer<S, std::int8_t>();
  check_to_integer<S, std::int16_t>();
  check_to_integer<S, std::int32_t>();
  check_to_integer<S, std::int64_t>();
}

TEST(Convert, FloatsBecomeIntegersWithinTheirRange) {
  check_to_every_integer<float>();
  check_to_every_integer<double>();
}

// --- between floats ---

/// A NaN keeps the upper bits of its payload and becomes quiet.
float narrowed_or_nan(double value, int mode) {
  if (!std::isnan(value)) return narrowed<float>(static_cast<Float128>(value), mode);
  const auto bits = bits_to<std::uint64_t>(value);
  return bits_to<float>(static_cast<std::uint32_t>(bits >> 32 & 0x80000000) | 0x7FC00000 |
                        static_cast<std::uint32_t>(bits >> 29 & 0x3FFFFF));
}

double widened(float value) {
  if (!std::isnan(value)) return value;
  const auto bits = bits_to<std::uint32_t>(value);
  return bits_to<double>(std::uint64_t{bits & 0x80000000} << 32 | 0x7FF8000000000000 |
                         std::uint64_t{bits & 0x3FFFFF} << 29);
}

TEST(Convert, DoublesAreRoundedToSingles) {
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string op = "cvt" + std::string(rounding.modifier);
    check(op + ".f32.f64 %d, %a;", [=](double a) { return narrowed_or_nan(a, mode); });
    check(op + ".ftz.f32.f64 %d, %a;", [=](double a) { return flush(narrowed_or_nan(a, mode)); });
    check(op + ".sat.f32.f64 %d, %a;", [=](double a) { return saturate(narrowed_or_nan(a, mode)); });
  }
}

TEST(Convert, SinglesBecomeDoublesExactly) {
  check("cvt.f64.f32 %d, %a;", [](float a) { return widened(a); });
  check("cvt.ftz.f64.f32 %d, %a;", [](float a) { return widened(flush(a)); });
  check("cvt.sat.f64.f32 %d, %a;", [](float a) { return static_cast<double>(saturate(a)); });
}

template <class T>
T integral_or_nan(T value, int mode) {
  return std::isnan(value) ? nan_of(value) : static_cast<T>(integral(static_cast<double>(value), mode));
}

TEST(Convert, FloatsRoundToIntegralValuesOfTheirOwnType) {
  for (const Rounding& rounding : kToIntegral) {
    const int mode = rounding.mode;
    const std::string op = "cvt" + std::string(rounding.modifier);
    check(op + ".f32.f32 %d, %a;", [=](float a) { return integral_or_nan(a, mode); });
    check(op + ".ftz.f32.f32 %d, %a;", [=](float a) { return integral_or_nan(flush(a), mode); });
    check(op + ".sat.f32.f32 %d, %a;", [=](float a) { return saturate(integral_or_nan(a, mode)); });
    check(op + ".f64.f64 %d, %a;", [=](double a) { return integral_or_nan(a, mode); });
  }
}

TEST(Convert, FloatsSaturateInPlace) {
  check("cvt.sat.f32.f32 %d, %a;", [](float a) { return saturate(a); });
  check("cvt.sat.ftz.f32.f32 %d, %a;", [](float a) { return saturate(flush(a)); });
  check("cvt.ftz.f32.f32 %d, %a;", [](float a) { return std::isnan(a) ? nan_of(a) : flush(a); });
  check("cvt.sat.f64.f64 %d, %a;", [](double a) { return a > 0 ? std::min(a, 1.0) : 0.0; });
}

// --- half precision ---

using Half = std::uint16_t;

double value_of(Half half) { return vgpu::test::value_of<Binary16>(half); }
Half half_from(double value, int mode) { return nearby<Binary16>(value, mode); }

/// Every half, what lies half way to the next one, and that value's neighbours.
std::vector<std::tuple<float>> floats_around_halves() {
  std::vector<std::tuple<float>> rows;
  for (const float value : edge_values<float>()) rows.push_back({value});
  for (unsigned half = 0; half <= 0x7C00; half += 7) {
    const auto exact = static_cast<float>(value_of(static_cast<Half>(half)));
    const auto next = static_cast<float>(value_of(static_cast<Half>(half + 1)));
    const float tie = std::isinf(next) || std::isnan(next) ? 65520.0f : (exact + next) / 2;
    for (const float value : {exact, tie, std::nextafter(tie, 0.0f), std::nextafter(tie, 1e9f)})
      for (const float sign : {1.0f, -1.0f}) rows.push_back({sign * value});
  }
  return rows;
}

TEST(Convert, HalvesWidenExactly) {
  const auto single = [](Half a) {
    const double value = value_of(a);
    return std::isnan(value) ? bits_to<float>(kNan32) : static_cast<float>(value);
  };
  check("cvt.f32.f16 %d, %a;", all_elements(), [=](Half a) { return single(a); });
  check("cvt.f64.f16 %d, %a;", all_elements(), [=](Half a) { return AnyNan{value_of(a)}; });
}

TEST(Convert, FloatsAreRoundedToHalves) {
  const std::vector<std::tuple<float>> singles = floats_around_halves();
  std::vector<std::tuple<double>> doubles;
  for (const auto& [value] : singles) {
    doubles.push_back({value});
    if (std::isfinite(value)) doubles.push_back({std::nextafter(static_cast<double>(value), 1e9)});
  }
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string op = "cvt" + std::string(rounding.modifier);
    check(op + ".f16.f32 %d, %a;", singles, [=](float a) { return half_from(a, mode); });
    check(op + ".ftz.f16.f32 %d, %a;", singles, [=](float a) { return half_from(flush(a), mode); });
    check(op + ".sat.f16.f32 %d, %a;", singles, [=](float a) { return half_from(saturate(a), mode); });
    check(op + ".f16.f64 %d, %a;", doubles, [=](double a) { return nearby_of_double<Binary16>(a, mode); });
  }
}

// --- operands ---

TEST(Convert, LiteralsAreSources) {
  check("cvt.u32.u8 %d, 200;\nadd.u32 %d, %d, %a;", [](std::uint32_t a) { return a + 200; });
  check("cvt.s32.s8 %d, -7;\nadd.s32 %d, %d, %a;", [](std::uint32_t a) { return a - 7; });
  check("cvt.rn.f32.s32 %d, -3;\nadd.f32 %d, %d, %a;",
        [](float a) { return rounded(Operation::kAdd, -3.0f, a, 0.0f, FE_TONEAREST); });
  check("cvt.u64.u32 %d, 0xFFFFFFFF;\nadd.u64 %d, %d, %a;", [](std::uint64_t a) { return a + 0xFFFFFFFFu; });
}

TEST(Convert, WhatIsNotThereIsRefused) {
  expect_refused({"cvt.rn.relu.f32.f32 %d, %a;", {RegisterKind::k32}, {RegisterKind::k32}, {}});
  // Floats live in registers of their own size.
  expect_refused({"cvt.rn.f32.s32 %d, %a;", {RegisterKind::k64}, {RegisterKind::k32}, {}});
  expect_refused({"cvt.rn.f32.s32 %d, %a;", {RegisterKind::kPred}, {RegisterKind::k32}, {}});
  expect_refused({"cvt.u32.u64 %d, %a;", {RegisterKind::k16}, {RegisterKind::k64}, {}});
}

}  // namespace
}  // namespace vgpu::test
