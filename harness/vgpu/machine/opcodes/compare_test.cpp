// Comparisons and selections: every comparison, every combination with a third operand, NaN on either side.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>

#include "harness/vgpu/machine/testing/exact_floats.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using S32 = std::int32_t;

/// How two values stand to each other; floats may be unordered.
enum class Order : std::uint8_t { kLess, kEqual, kGreater, kUnordered };

template <class T>
Order order_of(T a, T b) {
  if (a < b) return Order::kLess;
  if (a > b) return Order::kGreater;
  return a == b ? Order::kEqual : Order::kUnordered;
}

struct Comparison {
  const char* name;
  bool less, equal, greater, unordered;

  bool holds(Order order) const {
    switch (order) {
      case Order::kLess:
        return less;
      case Order::kEqual:
        return equal;
      case Order::kGreater:
        return greater;
      default:
        return unordered;
    }
  }
};

constexpr Comparison kSigned[] = {{"eq", false, true, false, false}, {"ne", true, false, true, false},
                                  {"lt", true, false, false, false}, {"le", true, true, false, false},
                                  {"gt", false, false, true, false}, {"ge", false, true, true, false}};
/// Unsigned types have names of their own for these.
constexpr Comparison kUnsigned[] = {{"lo", true, false, false, false},
                                    {"ls", true, true, false, false},
                                    {"hi", false, false, true, false},
                                    {"hs", false, true, true, false}};
constexpr Comparison kUnordered[] = {{"equ", false, true, false, true}, {"neu", true, false, true, true},
                                     {"ltu", true, false, false, true}, {"leu", true, true, false, true},
                                     {"gtu", false, false, true, true}, {"geu", false, true, true, true},
                                     {"num", true, true, true, false},  {"nan", false, false, false, true}};

template <class T>
std::string name_of() {
  if constexpr (std::is_floating_point_v<T>)
    return "f" + std::to_string(8 * sizeof(T));
  else
    return (std::is_signed_v<T> ? "s" : "u") + std::to_string(8 * sizeof(T));
}

template <class T>
void check_setp(const Comparison& comparison, const std::string& type) {
  check("setp." + std::string(comparison.name) + "." + type + " %d, %a, %b;",
        [&](T a, T b) { return comparison.holds(order_of(a, b)); });
}

template <class T>
class EveryType : public ::testing::Test {};
using Types = ::testing::Types<std::uint16_t, std::uint32_t, std::uint64_t, std::int16_t, std::int32_t, std::int64_t,
                               float, double>;
TYPED_TEST_SUITE(EveryType, Types);

TYPED_TEST(EveryType, SetpKnowsEveryComparison) {
  using T = TypeParam;
  for (const Comparison& comparison : kSigned) check_setp<T>(comparison, name_of<T>());
  if constexpr (std::is_unsigned_v<T>)
    for (const Comparison& comparison : kUnsigned) check_setp<T>(comparison, name_of<T>());
  if constexpr (std::is_floating_point_v<T>)
    for (const Comparison& comparison : kUnordered) check_setp<T>(comparison, name_of<T>());
}

TEST(Setp, ComparesBitTypesForEquality) {
  check("setp.eq.b16 %d, %a, %b;", [](std::uint16_t a, std::uint16_t b) { return a == b; });
  check("setp.ne.b32 %d, %a, %b;", [](U32 a, U32 b) { return a != b; });
  check("setp.eq.b64 %d, %a, %b;", [](std::uint64_t a, std::uint64_t b) { return a == b; });
}

TEST(Setp, FtzTakesSubnormalsForZeros) {
  for (const Comparison& comparison : kSigned)
    check("setp." + std::string(comparison.name) + ".ftz.f32 %d, %a, %b;",
          [&](float a, float b) { return comparison.holds(order_of(flush(a), flush(b))); });
  for (const Comparison& comparison : kUnordered)
    check("setp." + std::string(comparison.name) + ".ftz.f32 %d, %a, %b;",
          [&](float a, float b) { return comparison.holds(order_of(flush(a), flush(b))); });
}

struct Combination {
  const char* name;
  bool (*apply)(bool, bool);
};
constexpr Combination kCombinations[] = {{"and", [](bool a, bool b) { return a && b; }},
                                         {"or", [](bool a, bool b) { return a || b; }},
                                         {"xor", [](bool a, bool b) { return a != b; }}};

// The second result is the opposite of the comparison, combined with the same third operand.
TEST(Setp, CombinesBothResultsWithAThirdOperand) {
  const std::string lt = "setp.lt.s32 ";
  check(lt + "%d|%e, %a, %b;", [](S32 a, S32 b) { return std::tuple<bool, bool>{a < b, !(a < b)}; });
  for (const Combination& with : kCombinations) {
    const std::string op = std::string("setp.lt.") + with.name;
    check(op + ".s32 %d|%e, %a, %b, %c;", [&](S32 a, S32 b, bool c) {
      return std::tuple<bool, bool>{with.apply(a < b, c), with.apply(!(a < b), c)};
    });
    check(op + ".s32 %d, %a, %b, %c;", [&](S32 a, S32 b, bool c) { return with.apply(a < b, c); });
    check(op + ".s32 %d, %a, %b, !%c;", [&](S32 a, S32 b, bool c) { return with.apply(a < b, !c); });
    // With NaN neither a < b nor its opposite comparison holds, but !(a < b) does.
    check(op + ".f32 %d|%e, %a, %b, %c;", [&](float a, float b, bool c) {
      return std::tuple<bool, bool>{with.apply(a < b, c), with.apply(!(a < b), c)};
    });
    check(op + ".ftz.f32 %d|%e, %a, %b, !%c;", [&](float a, float b, bool c) {
      const bool less = flush(a) < flush(b);
      return std::tuple<bool, bool>{with.apply(less, !c), with.apply(!less, !c)};
    });
  }
}

TEST(Setp, MayLeaveAResultOut) {
  check("setp.lt.s32 _|%d, %a, %b;", [](S32 a, S32 b) { return !(a < b); });
  check("setp.lt.s32 %d|_, %a, %b;", [](S32 a, S32 b) { return a < b; });
}

TEST(Setp, MayOverwriteItsThirdOperand) {
  check("mov.pred %d, %c;\nsetp.lt.and.s32 %d|%e, %a, %b, %d;", [](S32 a, S32 b, bool c) {
    return std::tuple<bool, bool>{a < b && c, !(a < b) && c};
  });
}

template <class T>
void check_set(const Comparison& comparison) {
  const std::string op = "set." + std::string(comparison.name);
  const auto holds = [&](T a, T b) { return comparison.holds(order_of(a, b)); };
  check(op + ".u32." + name_of<T>() + " %d, %a, %b;", [=](T a, T b) { return holds(a, b) ? ~0u : 0u; });
  check(op + ".s32." + name_of<T>() + " %d, %a, %b;", [=](T a, T b) { return holds(a, b) ? -1 : 0; });
  check(op + ".f32." + name_of<T>() + " %d, %a, %b;", [=](T a, T b) { return holds(a, b) ? 1.0f : 0.0f; });
}

TYPED_TEST(EveryType, SetGivesAllOnesOrOne) {
  for (const Comparison& comparison : kSigned) check_set<TypeParam>(comparison);
  if constexpr (std::is_floating_point_v<TypeParam>)
    for (const Comparison& comparison : kUnordered) check_set<TypeParam>(comparison);
}

TEST(Set, FtzTakesSubnormalsForZeros) {
  check("set.gt.ftz.u32.f32 %d, %a, %b;", [](float a, float b) { return flush(a) > flush(b) ? ~0u : 0u; });
}

// --- selection ---

template <class T>
void check_selp(const std::string& type) {
  const auto rows = all_combinations(edge_values<T>(), std::vector<T>{T{0}, T{5}}, edge_values<bool>());
  // Bits are copied as they are: floats are held as integers here, so that NaN payloads count.
  check("selp." + type + " %d, %a, %b, %c;", rows, [](T a, T b, bool c) { return c ? a : b; });
}

TEST(Selp, ChoosesByAPredicate) {
  for (const char* type : {"b16", "u16", "s16"}) check_selp<std::uint16_t>(type);
  for (const char* type : {"b32", "u32", "s32", "f32"}) check_selp<U32>(type);
  for (const char* type : {"b64", "u64", "s64", "f64"}) check_selp<std::uint64_t>(type);
}

template <class T>
void check_slct(const std::string& type) {
  const std::vector<T> values{T{1}, static_cast<T>(-2)};
  check("slct." + type + ".s32 %d, %a, %b, %c;", all_combinations(values, values, edge_values<S32>()),
        [](T a, T b, S32 c) { return c >= 0 ? a : b; });
  check("slct." + type + ".f32 %d, %a, %b, %c;", all_combinations(values, values, edge_values<float>()),
        [](T a, T b, float c) { return c >= 0 ? a : b; });
  // Flushed subnormals are zeros, and zeros of either sign choose the first.
  check("slct.ftz." + type + ".f32 %d, %a, %b, %c;", all_combinations(values, values, edge_values<float>()),
        [](T a, T b, float c) { return flush(c) >= 0 ? a : b; });
}

TEST(Slct, ChoosesByASign) {
  for (const char* type : {"b16", "u16", "s16"}) check_slct<std::uint16_t>(type);
  for (const char* type : {"b32", "u32", "s32", "f32"}) check_slct<U32>(type);
  for (const char* type : {"b64", "u64", "s64", "f64"}) check_slct<std::uint64_t>(type);
}

TEST(Comparisons, WhatIsNotThereIsRefused) {
  const auto refused = [](const std::string& code, RegisterKind result, RegisterKind input) {
    expect_refused({code, {result}, {input, input}, {}});
  };
  refused("setp.equ.s32 %d, %a, %b;", RegisterKind::kPred, RegisterKind::k32);
  refused("setp.lt.ftz.f64 %d, %a, %b;", RegisterKind::kPred, RegisterKind::k64);
  refused("setp.s32 %d, %a, %b;", RegisterKind::kPred, RegisterKind::k32);
  refused("set.lt.and.u32.s32 %d, %a, %b, %guard;", RegisterKind::k32, RegisterKind::k32);
}

}  // namespace
}  // namespace vgpu::test
