// setp and set on f16, f16x2, bf16 and bf16x2: every comparison, NaN, zeros of both signs, pairs of predicates, and
// what they are combined with.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "harness/vgpu/machine/testing/exact_halves.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

using U16 = std::uint16_t;
using U32 = std::uint32_t;
using Two = std::vector<std::tuple<U16, U16>>;

/// Every edge value against a third of them and against its neighbours.
template <class Format>
Two rows_of_two() {
  const std::vector<U16> elements = edge_elements<Format>();
  Two rows;
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (std::size_t k = 0; k < elements.size(); ++k)
      if ((i + k) % 3 == 0 || (k <= i + 2 && i <= k + 2)) rows.emplace_back(elements[i], elements[k]);
  return rows;
}

/// Ordered comparisons are false where an operand is NaN, those that end in u are true.
bool holds(const std::string& op, double a, double b) {
  const bool unordered = std::isnan(a) || std::isnan(b);
  if (op == "num") return !unordered;
  if (op == "nan") return unordered;
  if (op.size() == 3) return unordered || holds(op.substr(0, 2), a, b);
  if (unordered) return false;
  if (op == "eq") return a == b;
  if (op == "ne") return a != b;
  if (op == "lt") return a < b;
  if (op == "le") return a <= b;
  if (op == "gt") return a > b;
  return a >= b;
}

constexpr const char* kComparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                        "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

template <class Format>
auto comparing(const std::string& op, bool flush = false) {
  return [=](U16 a, U16 b) {
    return holds(op, value_of<Format>(flush ? flushed<Format>(a) : a),
                 value_of<Format>(flush ? flushed<Format>(b) : b));
  };
}

template <class Format>
void check_setp() {
  const Two rows = rows_of_two<Format>();
  const std::string type = Format::kName;
  for (const std::string op : kComparisons) {
    const auto one = comparing<Format>(op);
    check(joined("setp.", op, ".", type, " %d, %a, %b;"), rows, [=](U16 a, U16 b) -> bool { return one(a, b); });
    check(joined("setp.", op, ".", type, "x2 %d|%e, %a, %b;"), in_pairs(rows), [=](U32 a, U32 b) {
      return std::tuple<bool, bool>{one(static_cast<U16>(a), static_cast<U16>(b)),
                                    one(static_cast<U16>(a >> 16), static_cast<U16>(b >> 16))};
    });
  }
}

TEST(HalfComparison, EveryOneAnswersForEveryOperand) {
  check_setp<Binary16>();
  check_setp<Brain16>();
}

TEST(HalfComparison, FtzComparesSubnormalsAsZeros) {
  for (const std::string op : {"eq", "lt", "geu"}) {
    const auto one = comparing<Binary16>(op, true);
    check("setp." + op + ".ftz.f16 %d, %a, %b;", rows_of_two<Binary16>(),
          [=](U16 a, U16 b) -> bool { return one(a, b); });
    check("set." + op + ".ftz.f16.f16 %d, %a, %b;", rows_of_two<Binary16>(),
          [=](U16 a, U16 b) -> U16 { return one(a, b) ? Binary16::kOne : U16{0}; });
  }
}

// p|q of single elements: the result and its opposite, each combined with the third operand.
TEST(HalfComparison, ResultsAreCombinedWithAThirdPredicate) {
  std::vector<std::tuple<U16, U16, bool>> rows;
  std::vector<std::tuple<U32, U32, bool>> pairs;
  const Two values = rows_of_two<Binary16>();
  const auto both = in_pairs(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    rows.emplace_back(std::get<0>(values[i]), std::get<1>(values[i]), i % 3 == 0);
    pairs.emplace_back(std::get<0>(both[i]), std::get<1>(both[i]), i % 3 == 0);
  }
  const auto one = comparing<Binary16>("le");
  const auto combined = [](const std::string& with, bool x, bool y) {
    return with == "and" ? x && y : with == "or" ? x || y : x != y;
  };
  for (const std::string with : {"and", "or", "xor"}) {
    const auto join = [=](bool x, bool y) { return combined(with, x, y); };
    check("setp.le." + with + ".f16 %d, %a, %b, %c;", rows,
          [=](U16 a, U16 b, bool c) -> bool { return join(one(a, b), c); });
    check("setp.le." + with + ".f16 %d|%e, %a, %b, !%c;", rows, [=](U16 a, U16 b, bool c) {
      return std::tuple<bool, bool>{join(one(a, b), !c), join(!one(a, b), !c)};
    });
    check("setp.le." + with + ".f16x2 %d|%e, %a, %b, %c;", pairs, [=](U32 a, U32 b, bool c) {
      return std::tuple<bool, bool>{join(one(static_cast<U16>(a), static_cast<U16>(b)), c),
                                    join(one(static_cast<U16>(a >> 16), static_cast<U16>(b >> 16)), c)};
    });
  }
}

template <class Format>
void check_set() {
  const Two rows = rows_of_two<Format>();
  const std::string type = Format::kName;
  for (const std::string op : kComparisons) {
    const auto one = comparing<Format>(op);
    const auto number = [=](U16 a, U16 b) { return one(a, b) ? Format::kOne : U16{0}; };
    const auto bits = [=](U16 a, U16 b) { return one(a, b) ? U16{0xFFFF} : U16{0}; };
    check(joined("set.", op, ".", type, ".", type, " %d, %a, %b;"), rows,
          [=](U16 a, U16 b) -> U16 { return number(a, b); });
    check(joined("set.", op, ".u16.", type, " %d, %a, %b;"), rows, [=](U16 a, U16 b) -> U16 { return bits(a, b); });
    check(joined("set.", op, ".s32.", type, " %d, %a, %b;"), rows,
          [=](U16 a, U16 b) -> U32 { return one(a, b) ? ~0u : 0u; });
    check(joined("set.", op, ".", type, "x2.", type, "x2 %d, %a, %b;"), in_pairs(rows),
          [=](U32 a, U32 b) { return on_pairs(number, a, b); });
    check(joined("set.", op, ".u32.", type, "x2 %d, %a, %b;"), in_pairs(rows),
          [=](U32 a, U32 b) { return on_pairs(bits, a, b); });
  }
}

TEST(HalfComparison, SetGivesOneOrAllBits) {
  check_set<Binary16>();
  check_set<Brain16>();
}

TEST(HalfComparison, WhatIsNotThereIsRefused) {
  const auto refused = [](const std::string& code, RegisterKind to, RegisterKind from) {
    expect_refused({code, {to, to}, {from, from, RegisterKind::kPred}, {}});
  };
  refused("setp.lt.f16x2 %d, %a, %b;", RegisterKind::kPred, RegisterKind::k32);  // has two results
  refused("setp.lt.ftz.bf16 %d, %a, %b;", RegisterKind::kPred, RegisterKind::k16);
  refused("setp.lo.f16 %d, %a, %b;", RegisterKind::kPred, RegisterKind::k16);
  refused("set.lt.and.f16.f16 %d, %a, %b, %c;", RegisterKind::k16, RegisterKind::k16);
  refused("set.lt.bf16.f16 %d, %a, %b;", RegisterKind::k16, RegisterKind::k16);
  refused("set.lt.f32.f16 %d, %a, %b;", RegisterKind::k32, RegisterKind::k16);
  refused("set.lt.u16.f16x2 %d, %a, %b;", RegisterKind::k16, RegisterKind::k32);
  refused("set.lt.f16.s32 %d, %a, %b;", RegisterKind::k16, RegisterKind::k32);
}

}  // namespace
}  // namespace vgpu::test
