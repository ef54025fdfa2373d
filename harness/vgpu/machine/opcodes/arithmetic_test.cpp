// Integer arithmetic against references in wider types: every type, every part of a product, carries, division by zero.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using S16 = std::int16_t;
using S32 = std::int32_t;
using S64 = std::int64_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using Wide = Int128;

/// As written in PTX: "s32".
template <class T>
std::string name_of() {
  return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

/// The low bits, as two's complement has them.
template <class T>
T wrapped(Wide value) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(static_cast<UInt128>(value)));
}

template <class T>
T clamped(Wide value) {
  using Limits = std::numeric_limits<T>;
  return static_cast<T>(value < Limits::min()   ? Wide{Limits::min()}
                        : value > Limits::max() ? Wide{Limits::max()}
                                                : value);
}

/// Bits [from, from + width of T) of a product of any two 64-bit integers.
template <class T>
T product_bits(T a, T b, unsigned from) {
  if constexpr (std::is_unsigned_v<T>)
    return static_cast<T>(static_cast<UInt128>(a) * b >> from);
  else
    return wrapped<T>(Wide{a} * b >> from);
}

template <class T>
class EveryInteger : public ::testing::Test {};
using Integers = ::testing::Types<U16, U32, U64, S16, S32, S64>;
TYPED_TEST_SUITE(EveryInteger, Integers);

template <class T>
class SignedIntegers : public ::testing::Test {};
using Signed = ::testing::Types<S16, S32, S64>;
TYPED_TEST_SUITE(SignedIntegers, Signed);

TYPED_TEST(EveryInteger, AddAndSubWrapAround) {
  using T = TypeParam;
  check("add." + name_of<T>() + " %d, %a, %b;", [](T a, T b) { return wrapped<T>(Wide{a} + b); });
  check("sub." + name_of<T>() + " %d, %a, %b;", [](T a, T b) { return wrapped<T>(Wide{a} - b); });
}

TYPED_TEST(EveryInteger, MulGivesTheHalfOfTheProductThatIsAskedFor) {
  using T = TypeParam;
  check("mul.lo." + name_of<T>() + " %d, %a, %b;", [](T a, T b) { return product_bits<T>(a, b, 0); });
  check("mul.hi." + name_of<T>() + " %d, %a, %b;", [](T a, T b) { return product_bits<T>(a, b, 8 * sizeof(T)); });
}

TYPED_TEST(EveryInteger, MadAddsToTheHalfOfTheProduct) {
  using T = TypeParam;
  check("mad.lo." + name_of<T>() + " %d, %a, %b, %c;",
        [](T a, T b, T c) { return wrapped<T>(Wide{product_bits<T>(a, b, 0)} + c); });
  check("mad.hi." + name_of<T>() + " %d, %a, %b, %c;",
        [](T a, T b, T c) { return wrapped<T>(Wide{product_bits<T>(a, b, 8 * sizeof(T))} + c); });
}

template <class T, class D>
void check_wide_products() {
  check("mul.wide." + name_of<T>() + " %d, %a, %b;", [](T a, T b) { return wrapped<D>(Wide{a} * b); });
  check("mad.wide." + name_of<T>() + " %d, %a, %b, %c;", [](T a, T b, D c) { return wrapped<D>(Wide{a} * b + c); });
}

TEST(IntegerProducts, WideOnesLoseNothing) {
  check_wide_products<U16, U32>();
  check_wide_products<S16, S32>();
  check_wide_products<U32, U64>();
  check_wide_products<S32, S64>();
}

// PTX leaves the quotient by zero open. An H200 gives all ones, and the dividend as the remainder; the most negative
// number divided by -1 is itself, with remainder 0 (measured 2026-11-21).
TYPED_TEST(EveryInteger, DivAndRemTruncateAndSurviveZero) {
  using T = TypeParam;
  check("div." + name_of<T>() + " %d, %a, %b;",
        [](T a, T b) { return b == 0 ? static_cast<T>(-1) : wrapped<T>(Wide{a} / b); });
  check("rem." + name_of<T>() + " %d, %a, %b;", [](T a, T b) { return b == 0 ? a : wrapped<T>(Wide{a} % b); });
}

TYPED_TEST(EveryInteger, MinAndMaxRespectTheSign) {
  using T = TypeParam;
  check("min." + name_of<T>() + " %d, %a, %b;", [](T a, T b) { return a < b ? a : b; });
  check("max." + name_of<T>() + " %d, %a, %b;", [](T a, T b) { return a < b ? b : a; });
}

TYPED_TEST(EveryInteger, SadAddsTheDistance) {
  using T = TypeParam;
  check("sad." + name_of<T>() + " %d, %a, %b, %c;",
        [](T a, T b, T c) { return wrapped<T>((a < b ? Wide{b} - a : Wide{a} - b) + c); });
}

TYPED_TEST(SignedIntegers, NegAndAbsLeaveTheMostNegativeNumberAlone) {
  using T = TypeParam;
  check("neg." + name_of<T>() + " %d, %a;", [](T a) { return wrapped<T>(-Wide{a}); });
  check("abs." + name_of<T>() + " %d, %a;", [](T a) { return wrapped<T>(a < 0 ? -Wide{a} : Wide{a}); });
}

TEST(IntegerSaturation, SumsStopAtTheEnds) {
  check("add.sat.s32 %d, %a, %b;", [](S32 a, S32 b) { return clamped<S32>(Wide{a} + b); });
  check("sub.sat.s32 %d, %a, %b;", [](S32 a, S32 b) { return clamped<S32>(Wide{a} - b); });
  check("mad.hi.sat.s32 %d, %a, %b, %c;",
        [](S32 a, S32 b, S32 c) { return clamped<S32>(Wide{product_bits<S32>(a, b, 32)} + c); });
}

TEST(IntegerSaturation, ReluIsNeverNegative) {
  check("min.relu.s32 %d, %a, %b;", [](S32 a, S32 b) { return std::max(std::min(a, b), 0); });
  check("max.relu.s32 %d, %a, %b;", [](S32 a, S32 b) { return std::max(std::max(a, b), 0); });
}

TEST(Products24, TakeTheLow24BitsOfEachOperand) {
  const auto s24 = [](S32 a) { return Wide{(a & 0x00FFFFFF) - ((a & 0x00800000) != 0 ? 0x01000000 : 0)}; };
  const auto u24 = [](U32 a) { return Wide{a & 0x00FFFFFF}; };
  check("mul24.lo.s32 %d, %a, %b;", [=](S32 a, S32 b) { return wrapped<S32>(s24(a) * s24(b)); });
  check("mul24.hi.s32 %d, %a, %b;", [=](S32 a, S32 b) { return wrapped<S32>(s24(a) * s24(b) >> 16); });
  check("mul24.lo.u32 %d, %a, %b;", [=](U32 a, U32 b) { return wrapped<U32>(u24(a) * u24(b)); });
  check("mul24.hi.u32 %d, %a, %b;", [=](U32 a, U32 b) { return wrapped<U32>(u24(a) * u24(b) >> 16); });
  check("mad24.lo.s32 %d, %a, %b, %c;", [=](S32 a, S32 b, S32 c) { return wrapped<S32>(s24(a) * s24(b) + c); });
  check("mad24.hi.s32 %d, %a, %b, %c;", [=](S32 a, S32 b, S32 c) { return wrapped<S32>((s24(a) * s24(b) >> 16) + c); });
  check("mad24.lo.u32 %d, %a, %b, %c;", [=](U32 a, U32 b, U32 c) { return wrapped<U32>(u24(a) * u24(b) + c); });
  check("mad24.hi.u32 %d, %a, %b, %c;", [=](U32 a, U32 b, U32 c) { return wrapped<U32>((u24(a) * u24(b) >> 16) + c); });
}

/// Byte or half word number n of a word, as signed or unsigned.
template <class T>
Wide part(U32 word, int n) {
  return static_cast<T>(word >> (8 * sizeof(T) * n));
}

template <class A, class B>
void check_dot_products(const std::string& types) {
  using D = std::conditional_t<std::is_signed_v<A> || std::is_signed_v<B>, S32, U32>;
  using HalfA = std::conditional_t<std::is_signed_v<A>, S16, U16>;
  check("dp4a." + types + " %d, %a, %b, %c;", [](U32 a, U32 b, D c) {
    Wide sum = c;
    for (int n = 0; n < 4; ++n) sum += part<A>(a, n) * part<B>(b, n);
    return wrapped<D>(sum);
  });
  for (const int upper : {0, 1})
    check(std::string("dp2a.") + (upper != 0 ? "hi." : "lo.") + types + " %d, %a, %b, %c;", [upper](U32 a, U32 b, D c) {
      Wide sum = c;
      for (int n = 0; n < 2; ++n) sum += part<HalfA>(a, n) * part<B>(b, 2 * upper + n);
      return wrapped<D>(sum);
    });
}

TEST(DotProducts, SumTheProductsOfParts) {
  check_dot_products<std::uint8_t, std::uint8_t>("u32.u32");
  check_dot_products<std::int8_t, std::int8_t>("s32.s32");
  check_dot_products<std::uint8_t, std::int8_t>("u32.s32");
  check_dot_products<std::int8_t, std::uint8_t>("s32.u32");
}

// Chains of carries: two or three words make one long number. What the instructions leave in between shows only in the
// whole.

template <class T>
class CarryWords : public ::testing::Test {};
using Words = ::testing::Types<U32, U64>;
TYPED_TEST_SUITE(CarryWords, Words);

TYPED_TEST(CarryWords, AddChainsPassTheCarryOn) {
  using T = TypeParam;
  const std::string t = name_of<T>();
  check("add.cc." + t + " %d, %a, %b;\naddc.cc." + t + " %e, %a, %c;\naddc." + t + " %f, %b, %c;", [](T a, T b, T c) {
    const auto low = static_cast<UInt128>(a) + b;
    const auto middle = static_cast<UInt128>(a) + c + static_cast<unsigned>(low >> 8 * sizeof(T));
    const auto high = static_cast<UInt128>(b) + c + static_cast<unsigned>(middle >> 8 * sizeof(T));
    return std::tuple<T, T, T>{static_cast<T>(low), static_cast<T>(middle), static_cast<T>(high)};
  });
}

TYPED_TEST(CarryWords, SubChainsPassTheBorrowOn) {
  using T = TypeParam;
  const std::string t = name_of<T>();
  check("sub.cc." + t + " %d, %a, %b;\nsubc.cc." + t + " %e, %a, %c;\nsubc." + t + " %f, %b, %c;", [](T a, T b, T c) {
    const Wide low = Wide{a} - b;
    const Wide middle = Wide{a} - c - (low < 0 ? 1 : 0);
    const Wide high = Wide{b} - c - (middle < 0 ? 1 : 0);
    return std::tuple<T, T, T>{wrapped<T>(low), wrapped<T>(middle), wrapped<T>(high)};
  });
}

TYPED_TEST(CarryWords, MadChainsMakeLongProducts) {
  using T = TypeParam;
  const std::string t = name_of<T>();
  // (c : c) + a * b, then one more carried addition of a high half.
  check("mad.lo.cc." + t + " %d, %a, %b, %c;\nmadc.hi.cc." + t + " %e, %a, %b, %c;\nmadc.lo." + t + " %f, %a, %c, %b;",
        [](T a, T b, T c) {
          using Long = UInt128;
          constexpr unsigned kBits = 8 * sizeof(T);
          const Long product = static_cast<Long>(a) * b;
          const Long low = static_cast<Long>(static_cast<T>(product)) + c;
          const Long middle =
              static_cast<Long>(static_cast<T>(product >> kBits)) + c + static_cast<unsigned>(low >> kBits);
          const T high = static_cast<T>(static_cast<T>(static_cast<Long>(a) * c) + b + static_cast<T>(middle >> kBits));
          return std::tuple<T, T, T>{static_cast<T>(low), static_cast<T>(middle), high};
        });
  check("mad.hi.cc." + t + " %d, %a, %b, %c;\nmadc.hi." + t + " %e, %a, %b, 0;", [](T a, T b, T c) {
    const T high = static_cast<T>((static_cast<UInt128>(a) * b) >> 8 * sizeof(T));
    const T sum = static_cast<T>(high + c);
    return std::tuple<T, T>{sum, static_cast<T>(high + (sum < high ? 1 : 0))};
  });
}

TEST(CarryChains, SignedNamesMeanTheSameBits) {
  check("add.cc.s32 %d, %a, %b;\naddc.s32 %e, %a, %a;", [](U32 a, U32 b) {
    const U64 low = U64{a} + b;
    return std::tuple<U32, U32>{static_cast<U32>(low), static_cast<U32>(U64{a} + a + (low >> 32))};
  });
  check("mad.lo.cc.s32 %d, %a, %b, %c;\naddc.s32 %e, %c, 0;", [](U32 a, U32 b, U32 c) {
    const U64 low = U64{a * b} + c;
    return std::tuple<U32, U32>{static_cast<U32>(low), static_cast<U32>(c + (low >> 32))};
  });
}

TEST(CarryChains, EveryLaneHasItsOwnCarry) {
  // The carry of a lane that a guard keeps out stays as it was.
  check(Snippet{"add.cc.u32 %d, %a, %b;\naddc.u32 %e, 0, 0;", {}, {}, {}}, edge_rows<U32, U32>(), [](U32 a, U32 b) {
    return std::tuple<U32, U32>{a + b, static_cast<U32>((U64{a} + b) >> 32)};
  });
}

// Literals become constants of the operand's own size, negative ones included.
TYPED_TEST(EveryInteger, LiteralsAreOperands) {
  using T = TypeParam;
  check("add." + name_of<T>() + " %d, %a, -3;", [](T a) { return wrapped<T>(Wide{a} - 3); });
  check("sub." + name_of<T>() + " %d, 0x7F, %a;", [](T a) { return wrapped<T>(Wide{127} - a); });
  check("mad.lo." + name_of<T>() + " %d, %a, 5, -1;", [](T a) { return wrapped<T>(Wide{a} * 5 - 1); });
}

TEST(IntegerArithmetic, WhatIsNotThereIsRefused) {
  const auto refused = [](const std::string& code, RegisterKind kind) {
    expect_refused({code, {kind}, {kind, kind, kind}, {}});
  };
  refused("mad24.hi.sat.s32 %d, %a, %b, %c;", RegisterKind::k32);
  refused("mul.s32 %d, %a, %b;", RegisterKind::k32);
  refused("add.sat.u32 %d, %a, %b;", RegisterKind::k32);
  refused("sub.u16x2 %d, %a, %b;", RegisterKind::k32);
  refused("add.u32 %d, %a, %b;", RegisterKind::k16);
  refused("abs.u32 %d, %a;", RegisterKind::k32);
  refused("add.foo.u32 %d, %a, %b;", RegisterKind::k32);
  refused("div.f16 %d, %a, %b;", RegisterKind::k16);
}

}  // namespace
}  // namespace vgpu::test
