// cvt into and out of f16, bf16, pairs of them and tf32: every number type, rounding and modifier. The conversions of
// f16 from and to f32 and f64 are in convert_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "harness/vgpu/machine/testing/exact_halves.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;

template <class T>
std::string integer_name() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

/// Calls f(T{}) for every integer type.
template <class F>
void for_every_integer(F f) {
  f(std::uint8_t{});
  f(std::int8_t{});
  f(std::uint16_t{});
  f(std::int16_t{});
  f(std::uint32_t{});
  f(std::int32_t{});
  f(std::uint64_t{});
  f(std::int64_t{});
}

// --- into 16 bits ---

/// Every 61st element, what lies half way to the next one, and the neighbours of both.
template <class Format>
std::vector<std::tuple<double>> doubles_around() {
  std::vector<std::tuple<double>> rows;
  for (const double value : edge_values<double>()) rows.emplace_back(value);
  const double beyond = std::ldexp(1.0, Format::kBias + 1);
  for (unsigned bits = 0; bits<Format::kInfinity; bits += bits + 40> Format::kInfinity || bits < 40 ? 1 : 61) {
    const double below = value_of<Format>(static_cast<U16>(bits));
    const double above = bits + 1u == Format::kInfinity ? beyond : value_of<Format>(static_cast<U16>(bits + 1));
    for (const double middle : {below, (below + above) / 2})
      for (const double value : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300)})
        for (const double sign : {1.0, -1.0}) rows.emplace_back(sign * value);
  }
  return rows;
}

/// The same as floats: exact values, ties and their nearest neighbours.
template <class Format>
std::vector<std::tuple<float>> floats_around() {
  std::vector<std::tuple<float>> rows;
  for (const float value : edge_values<float>()) rows.emplace_back(value);
  for (const auto& [wide] : doubles_around<Format>()) {
    if (!(std::fabs(wide) <= static_cast<double>(std::numeric_limits<float>::max()))) continue;
    const auto value = static_cast<float>(wide);
    for (const float near : {value, std::nextafter(value, 0.0f)}) rows.emplace_back(near);
  }
  return rows;
}

template <class Format>
void check_from_floats() {
  const auto singles = floats_around<Format>();
  const auto doubles = doubles_around<Format>();
  const std::string type = Format::kName;
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string op = "cvt" + std::string(rounding.modifier);
    const auto narrow = [=](auto a) -> U16 { return nearby<Format>(static_cast<double>(a), mode); };
    check(joined(op, ".", type, ".f32 %d, %a;"), singles, [=](float a) { return narrow(a); });
    check(joined(op, ".", type, ".f64 %d, %a;"), doubles, [=](double a) { return nearby_of_double<Format>(a, mode); });
    check(joined(op, ".relu.", type, ".f32 %d, %a;"), singles, [=](float a) { return rectified(narrow(a)); });
    const auto finite = [=](float a) -> U16 {
      const U16 bits = narrow(a);
      return static_cast<U16>((bits & 0x7FFF) == Format::kInfinity ? bits - 1 : bits);
    };
    check(joined(op, ".satfinite.", type, ".f32 %d, %a;"), singles, [=](float a) { return finite(a); });
    check(joined(op, ".relu.satfinite.", type, ".f32 %d, %a;"), singles, [=](float a) { return rectified(finite(a)); });
    if (mode != FE_TONEAREST && mode != FE_TOWARDZERO) continue;
    // The first operand becomes the upper half.
    std::vector<std::tuple<float, float>> pairs;
    for (std::size_t i = 0; i < singles.size(); ++i)
      pairs.emplace_back(std::get<0>(singles[i]), std::get<0>(singles[(7 * i + 3) % singles.size()]));
    const auto both = [](U16 upper, U16 lower) { return U32{upper} << 16 | lower; };
    check(joined(op, ".", type, "x2.f32 %d, %a, %b;"), pairs,
          [=](float a, float b) { return both(narrow(a), narrow(b)); });
    check(joined(op, ".relu.", type, "x2.f32 %d, %a, %b;"), pairs,
          [=](float a, float b) { return both(rectified(narrow(a)), rectified(narrow(b))); });
    check(joined(op, ".satfinite.", type, "x2.f32 %d, %a, %b;"), pairs,
          [=](float a, float b) { return both(finite(a), finite(b)); });
  }
}

TEST(HalfConversion, FloatsAreRoundedOnceInTheDirectionAsked) {
  check_from_floats<Binary16>();
  check_from_floats<Brain16>();
}

/// Edge values and what lies around ties of 8 and of 11 bits, in every position.
template <class T>
std::vector<std::tuple<T>> integers_around_ties() {
  std::vector<std::tuple<T>> rows;
  for (const T value : edge_values<T>()) rows.emplace_back(value);
  for (std::size_t shift = 0; shift < 8 * sizeof(T); ++shift)
    for (const std::uint64_t high : {0x101, 0x103, 0x801, 0x803, 0xFFF})
      for (const std::uint64_t off : {0, 1, -1}) {
        const std::uint64_t value = (high << shift) + off;
        rows.emplace_back(static_cast<T>(value));
        rows.emplace_back(static_cast<T>(0 - value));
      }
  return rows;
}

template <class Format>
void check_from_integers() {
  for_every_integer([](auto integer) {
    using T = decltype(integer);
    using Register = std::conditional_t<sizeof(T) == 1, std::make_unsigned_t<std::int16_t>, T>;
    std::vector<std::tuple<Register>> rows;
    for (const auto& [value] : integers_around_ties<T>()) rows.emplace_back(static_cast<Register>(value));
    for (const Rounding& rounding : kRoundings) {
      const int mode = rounding.mode;
      check(joined("cvt", std::string(rounding.modifier), ".", Format::kName, ".", integer_name<T>(), " %d, %a;"), rows,
            [=](Register a) -> U16 { return nearby<Format>(static_cast<Float128>(static_cast<T>(a)), mode); });
    }
  });
}

TEST(HalfConversion, IntegersAreRoundedOnce) {
  check_from_integers<Binary16>();
  check_from_integers<Brain16>();
}

// --- out of 16 bits ---

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
      const double below = std::floor(value), rest = value - below;
      const bool up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2.0) != 0);
      return std::copysign(up ? below + 1 : below, value);
    }
  }
}

/// Out of range clamps; NaN gives 0, or the top bit alone in 64 bits. (The latter seen on an H200.)
template <class T>
T integer_from(double value, int mode) {
  if (std::isnan(value)) return sizeof(T) == 8 ? static_cast<T>(std::uint64_t{1} << 63) : T{0};
  const double whole = integral(value, mode);
  if (whole <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (whole >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  return static_cast<T>(whole);
}

template <class Format>
void check_to_integers() {
  std::vector<std::tuple<U16>> rows;
  for (const U16 element : edge_elements<Format>()) rows.emplace_back(element);
  for (unsigned bits = 0; bits < 0x10000; bits += 13) rows.emplace_back(static_cast<U16>(bits));
  for_every_integer([&](auto integer) {
    using T = decltype(integer);
    using Register = std::conditional_t<sizeof(T) == 1, U32, std::make_unsigned_t<T>>;  // bytes go to wider registers
    for (const Rounding& rounding : kToIntegral) {
      const int mode = rounding.mode;
      check(joined("cvt", std::string(rounding.modifier), ".", integer_name<T>(), ".", Format::kName, " %d, %a;"), rows,
            [=](U16 a) {
              const T value = integer_from<T>(value_of<Format>(a), mode);
              return static_cast<Register>(static_cast<std::int64_t>(value));
            });
    }
  });
}

TEST(HalfConversion, ElementsBecomeIntegersWithinTheirRange) {
  check_to_integers<Binary16>();
  check_to_integers<Brain16>();
}

TEST(HalfConversion, ElementsRoundToIntegralValues) {
  for (const Rounding& rounding : kToIntegral) {
    const int mode = rounding.mode;
    const std::string op = "cvt" + std::string(rounding.modifier);
    check(op + ".f16.f16 %d, %a;", all_elements(),
          [=](U16 a) { return nearby<Binary16>(integral(value_of<Binary16>(a), mode), FE_TONEAREST); });
    check(op + ".bf16.bf16 %d, %a;", all_elements(),
          [=](U16 a) { return nearby<Brain16>(integral(value_of<Brain16>(a), mode), FE_TONEAREST); });
  }
}

// A NaN of bfloat16 keeps its bits, since it is only moved.
TEST(HalfConversion, BfloatsWidenExactly) {
  check("cvt.f32.bf16 %d, %a;", all_elements(), [](U16 a) { return U32{a} << 16; });
  check("cvt.f64.bf16 %d, %a;", all_elements(), [](U16 a) { return AnyNan{value_of<Brain16>(a)}; });
}

TEST(HalfConversion, EitherFormatBecomesTheOther) {
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string op = "cvt" + std::string(rounding.modifier);
    check(op + ".bf16.f16 %d, %a;", all_elements(),
          [=](U16 a) { return nearby<Brain16>(value_of<Binary16>(a), mode); });
    check(op + ".f16.bf16 %d, %a;", all_elements(),
          [=](U16 a) { return nearby<Binary16>(value_of<Brain16>(a), mode); });
  }
}

TEST(HalfConversion, SatClampsToTheUnitInterval) {
  check("cvt.sat.f16.f16 %d, %a;", all_elements(), [](U16 a) { return saturated<Binary16>(a); });
  check("cvt.sat.f32.f16 %d, %a;", all_elements(),
        [](U16 a) { return static_cast<float>(value_of<Binary16>(saturated<Binary16>(a))); });
}

// --- tf32 ---

/// The numbers of 10 mantissa bits around a finite magnitude, as float bits.
U32 tf32_from(float value, bool away, bool to_zero) {
  const auto bits = bits_to<U32>(value);
  const U32 below = bits & 0xFFFFE000u;
  const U32 lost = bits & 0x1FFF;
  const bool up = !to_zero && (lost > 0x1000 || (lost == 0x1000 && (away || (below & 0x2000) != 0)));
  return up ? below + 0x2000 : below;
}

TEST(Tf32Conversion, TenBitsAreKept) {
  std::vector<std::tuple<float>> rows;
  for (const float value : edge_values<float>()) rows.emplace_back(value);
  Numbers numbers(19);
  for (int i = 0; i < 3000; ++i) {
    const auto bits = static_cast<U32>(numbers.next());
    for (const U32 near : {bits, (bits & ~0x1FFFu) | 0x1000u, (bits & ~0x1FFFu) | 0x1001u, (bits & ~0x1FFFu) | 0xFFFu})
      rows.emplace_back(bits_to<float>(near));
  }
  // As on an H200: rna cuts infinities and NaN off, the others make every NaN one.
  check("cvt.rna.tf32.f32 %d, %a;", rows,
        [](float a) { return std::isfinite(a) ? tf32_from(a, true, false) : bits_to<U32>(a) & 0xFFFFE000u; });
  for (const bool to_zero : {false, true}) {
    const std::string op = to_zero ? "cvt.rz" : "cvt.rn";
    const auto reference = [=](float a) -> U32 { return std::isnan(a) ? 0x7FFFE000u : tf32_from(a, false, to_zero); };
    check(op + ".tf32.f32 %d, %a;", rows, reference);
    check(op + ".relu.tf32.f32 %d, %a;", rows,
          [=](float a) -> U32 { return reference(a) >> 31 != 0 ? 0 : reference(a); });
  }
}

// --- cvt.pack ---

template <class T>
U32 clamped(std::int32_t value, U32 mask) {
  const std::int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
  return static_cast<U32>(value < low ? low : value > high ? high : value) & mask;
}

TEST(PackConversion, PartsAreClampedAndPutSideBySide) {
  using S32 = std::int32_t;
  check("cvt.pack.sat.u16.s32 %d, %a, %b;",
        [](S32 a, S32 b) { return clamped<std::uint16_t>(a, 0xFFFF) << 16 | clamped<std::uint16_t>(b, 0xFFFF); });
  check("cvt.pack.sat.s16.s32 %d, %a, %b;",
        [](S32 a, S32 b) { return clamped<std::int16_t>(a, 0xFFFF) << 16 | clamped<std::int16_t>(b, 0xFFFF); });
  check("cvt.pack.sat.u8.s32.b32 %d, %a, %b, %c;", [](S32 a, S32 b, U32 c) {
    return c << 16 | clamped<std::uint8_t>(a, 0xFF) << 8 | clamped<std::uint8_t>(b, 0xFF);
  });
  check("cvt.pack.sat.s8.s32.b32 %d, %a, %b, %c;", [](S32 a, S32 b, U32 c) {
    return c << 16 | clamped<std::int8_t>(a, 0xFF) << 8 | clamped<std::int8_t>(b, 0xFF);
  });
}

TEST(HalfConversion, WhatIsNotThereIsRefused) {
  const auto refused = [](const std::string& code, RegisterKind to, RegisterKind from) {
    expect_refused({code, {to}, {from, from}, {}});
  };
  refused("cvt.rn.e4m3x2.f32 %d, %a, %b;", RegisterKind::k16, RegisterKind::k32);
  refused("cvt.rz.satfinite.e5m2x2.f32 %d, %a, %b;", RegisterKind::k16, RegisterKind::k32);
  refused("cvt.rn.satfinite.f16x2.e4m3x2 %d, %a;", RegisterKind::k32, RegisterKind::k16);
  refused("cvt.rna.satfinite.tf32.f32 %d, %a;", RegisterKind::k32, RegisterKind::k32);
  refused("cvt.rm.tf32.f32 %d, %a;", RegisterKind::k32, RegisterKind::k32);
  refused("cvt.rn.relu.f32.f16 %d, %a;", RegisterKind::k32, RegisterKind::k16);
  refused("cvt.rn.relu.f16.f64 %d, %a;", RegisterKind::k16, RegisterKind::k64);
  refused("cvt.rn.sat.bf16.f32 %d, %a;", RegisterKind::k16, RegisterKind::k32);
  refused("cvt.rni.f32.f16 %d, %a;", RegisterKind::k32, RegisterKind::k16);
  refused("cvt.rn.f16x2.f16 %d, %a, %b;", RegisterKind::k32, RegisterKind::k16);
  refused("cvt.f16x2.f32 %d, %a, %b;", RegisterKind::k32, RegisterKind::k32);
  refused("cvt.f32.f16x2 %d, %a;", RegisterKind::k32, RegisterKind::k32);
  refused("cvt.f32.f16 %d, %a;", RegisterKind::k32, RegisterKind::k32);
  refused("cvt.rn.f16.f32 %d, %a;", RegisterKind::k32, RegisterKind::k32);
  refused("cvt.pack.u16.s32 %d, %a, %b;", RegisterKind::k32, RegisterKind::k32);
  refused("cvt.pack.sat.u4.s32.b32 %d, %a, %b, %a;", RegisterKind::k32, RegisterKind::k32);
}

}  // namespace
}  // namespace vgpu::test
