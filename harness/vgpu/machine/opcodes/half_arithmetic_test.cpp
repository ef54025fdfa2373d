// Arithmetic on f16, f16x2, bf16 and bf16x2 against exact references: one rounding, subnormals, infinities, NaN, and
// every modifier there is.
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
using One = std::vector<std::tuple<U16>>;
using Two = std::vector<std::tuple<U16, U16>>;
using Three = std::vector<std::tuple<U16, U16, U16>>;

template <class Format>
Two rows_of_two() {
  const std::vector<U16> elements = edge_elements<Format>();
  Two rows = all_combinations(elements, elements);
  Numbers numbers(16);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t bits = numbers.next();
    rows.emplace_back(static_cast<U16>(bits), static_cast<U16>(bits >> 16));
  }
  return rows;
}

/// What sums and products of edges leave untried: c that cancels the product or breaks the tie that it is.
template <class Format>
Three rows_of_three() {
  const std::vector<U16> elements = edge_elements<Format>();
  std::vector<U16> some;
  for (std::size_t i = 0; i < elements.size(); i += 6) some.push_back(elements[i + i / 6 % 2]);
  Three rows = all_combinations(some, some, some);
  Numbers numbers(17);
  const auto factor = [&] {  // between 1/2 and 4, with all bits of the mantissa
    return static_cast<U16>(Format::kOne - (1 << Format::kMantissaBits) +
                            numbers.next() % (3u << Format::kMantissaBits));
  };
  for (int i = 0; i < 2000; ++i) {
    const U16 a = factor(), b = factor();
    const U16 product = nearby<Format>(exactly<Format>(Operation::kMultiply, a, b), FE_TONEAREST);
    const auto anything = static_cast<U16>(numbers.next());
    for (const U16 c : {U16{1}, U16{0x8001}, static_cast<U16>(product ^ 0x8000), anything}) rows.emplace_back(a, b, c);
  }
  return rows;
}

/// `instruction` without its type, on single elements and on pairs of them.
template <class Format, class F>
void check_one(const std::string& instruction, F reference) {
  const One rows = all_elements();
  check(instruction + "." + Format::kName + " %d, %a;", rows, [=](U16 a) -> U16 { return reference(a); });
  check(instruction + "." + Format::kName + "x2 %d, %a;", in_pairs(rows),
        [=](U32 a) { return on_pairs(reference, a); });
}
template <class Format, class F>
void check_two(const std::string& instruction, F reference) {
  const Two rows = rows_of_two<Format>();
  check(instruction + "." + Format::kName + " %d, %a, %b;", rows, [=](U16 a, U16 b) -> U16 { return reference(a, b); });
  check(instruction + "." + Format::kName + "x2 %d, %a, %b;", in_pairs(rows),
        [=](U32 a, U32 b) { return on_pairs(reference, a, b); });
}
template <class Format, class F>
void check_three(const std::string& instruction, F reference) {
  const Three rows = rows_of_three<Format>();
  check(instruction + "." + Format::kName + " %d, %a, %b, %c;", rows,
        [=](U16 a, U16 b, U16 c) -> U16 { return reference(a, b, c); });
  check(instruction + "." + Format::kName + "x2 %d, %a, %b, %c;", in_pairs(rows),
        [=](U32 a, U32 b, U32 c) { return on_pairs(reference, a, b, c); });
}

template <class Format>
U16 rounded(Operation operation, U16 a, U16 b, U16 c = 0) {
  return nearby<Format>(exactly<Format>(operation, a, b, c), FE_TONEAREST);
}

struct TwoOperands {
  const char* opcode;
  Operation operation;
};
constexpr TwoOperands kTwoOperands[] = {
    {"add", Operation::kAdd}, {"sub", Operation::kSubtract}, {"mul", Operation::kMultiply}};

TEST(HalfArithmetic, TwoOperandsAreRoundedOnceToNearestEven) {
  for (const auto& [opcode, operation] : kTwoOperands) {
    const auto op = operation;
    const auto half = [=](U16 a, U16 b) { return rounded<Binary16>(op, a, b); };
    const auto brain = [=](U16 a, U16 b) { return rounded<Brain16>(op, a, b); };
    check_two<Binary16>(opcode, half);
    check_two<Brain16>(opcode, brain);
    check(std::string(opcode) + ".rn.f16 %d, %a, %b;", [=](U16 a, U16 b) -> U16 { return half(a, b); });
    check(std::string(opcode) + ".rn.bf16 %d, %a, %b;", [=](U16 a, U16 b) -> U16 { return brain(a, b); });
  }
}

TEST(HalfArithmetic, FtzFlushesOperandsAndResults) {
  for (const auto& [opcode, operation] : kTwoOperands) {
    const auto op = operation;
    check_two<Binary16>(std::string(opcode) + ".ftz", [=](U16 a, U16 b) {
      return nearby_or_zero<Binary16>(exactly<Binary16>(op, flushed<Binary16>(a), flushed<Binary16>(b)));
    });
  }
}

// 2^-14 (1 - 2^-11) is half a unit below the least normal number with subnormals and exact without; an H200 gives 0.
// 2^-14 (1 - 2^-13) rounds to the least normal number either way.
TEST(HalfArithmetic, FtzAsksWhatAnUnboundedExponentWouldGive) {
  check("mul.ftz.f16 %d, %a, %b;", {{0x0400, 0x3BFF}, {0x0401, 0x3BFE}},
        [](U16 a, U16) { return a == 0x0400 ? U16{0} : U16{0x0400}; });
  check("fma.rn.ftz.f16 %d, %a, %b, %c;", {{0x0800, 0x8400, 0x0400}}, [](U16, U16, U16) { return U16{0x0400}; });
}

TEST(HalfArithmetic, SatClampsToTheUnitInterval) {
  for (const auto& [opcode, operation] : kTwoOperands) {
    const auto op = operation;
    check_two<Binary16>(std::string(opcode) + ".sat",
                        [=](U16 a, U16 b) { return saturated<Binary16>(rounded<Binary16>(op, a, b)); });
  }
  check_two<Binary16>("add.rn.ftz.sat", [](U16 a, U16 b) {
    return saturated<Binary16>(
        nearby_or_zero<Binary16>(exactly<Binary16>(Operation::kAdd, flushed<Binary16>(a), flushed<Binary16>(b))));
  });
}

template <class Format>
U16 fused(U16 a, U16 b, U16 c) {
  return rounded<Format>(Operation::kFusedMultiplyAdd, a, b, c);
}

TEST(HalfArithmetic, FmaRoundsOnce) {
  check_three<Binary16>("fma.rn", [](U16 a, U16 b, U16 c) { return fused<Binary16>(a, b, c); });
  check_three<Brain16>("fma.rn", [](U16 a, U16 b, U16 c) { return fused<Brain16>(a, b, c); });
}

// 7 * 37 = 259 lies between two bfloat16 numbers, 258 and 260; whatever is added decides, however small.
TEST(HalfArithmetic, FmaLetsTheLeastNumberBreakATie) {
  const U16 seven = 0x40E0, thirty_seven = 0x4214;
  check("fma.rn.bf16 %d, %a, %b, %c;",
        {{seven, thirty_seven, 0}, {seven, thirty_seven, 0x0001}, {seven, thirty_seven, 0x8001}},
        [](U16, U16, U16 c) { return c == 0x8001 ? U16{0x4381} : U16{0x4382}; });
}

TEST(HalfArithmetic, FmaClampsToTheUnitIntervalOrToZero) {
  check_three<Binary16>("fma.rn.sat",
                        [](U16 a, U16 b, U16 c) { return saturated<Binary16>(fused<Binary16>(a, b, c)); });
  check_three<Binary16>("fma.rn.relu", [](U16 a, U16 b, U16 c) { return rectified(fused<Binary16>(a, b, c)); });
  check_three<Brain16>("fma.rn.relu", [](U16 a, U16 b, U16 c) { return rectified(fused<Brain16>(a, b, c)); });
}

TEST(HalfArithmetic, FmaFlushesAsWell) {
  const auto flushing = [](U16 a, U16 b, U16 c) {
    return nearby_or_zero<Binary16>(exactly<Binary16>(Operation::kFusedMultiplyAdd, flushed<Binary16>(a),
                                                      flushed<Binary16>(b), flushed<Binary16>(c)));
  };
  check_three<Binary16>("fma.rn.ftz", flushing);
  check_three<Binary16>("fma.rn.ftz.sat", [=](U16 a, U16 b, U16 c) { return saturated<Binary16>(flushing(a, b, c)); });
  check_three<Binary16>("fma.rn.ftz.relu", [=](U16 a, U16 b, U16 c) { return rectified(flushing(a, b, c)); });
}

// --- signs and extrema ---

template <class Format>
U16 with_sign(U16 a, int sign, bool flush = false) {
  if (is_nan<Format>(a)) return kNan16;
  return static_cast<U16>(((flush ? flushed<Format>(a) : a) & 0x7FFF) | (sign & 0x8000));
}

TEST(HalfSign, NegAndAbsMakeNanCanonical) {
  check_one<Binary16>("neg", [](U16 a) { return with_sign<Binary16>(a, ~a); });
  check_one<Binary16>("abs", [](U16 a) { return with_sign<Binary16>(a, 0); });
  check_one<Binary16>("neg.ftz", [](U16 a) { return with_sign<Binary16>(a, ~a, true); });
  check_one<Binary16>("abs.ftz", [](U16 a) { return with_sign<Binary16>(a, 0, true); });
  check_one<Brain16>("neg", [](U16 a) { return with_sign<Brain16>(a, ~a); });
  check_one<Brain16>("abs", [](U16 a) { return with_sign<Brain16>(a, 0); });
}

/// -0 is less than +0; a NaN loses against a number.
template <class Format>
U16 extremum(U16 a, U16 b, bool least) {
  if (is_nan<Format>(a) && is_nan<Format>(b)) return kNan16;
  if (is_nan<Format>(a)) return b;
  if (is_nan<Format>(b)) return a;
  const double x = value_of<Format>(a), y = value_of<Format>(b);
  const bool a_first = x < y || (x == y && std::signbit(x));
  return a_first == least ? a : b;
}

template <class Format>
void check_extrema() {
  for (const bool least : {true, false}) {
    const std::string op = least ? "min" : "max";
    const auto plain = [=](U16 a, U16 b) { return extremum<Format>(a, b, least); };
    const auto nan_wins = [=](U16 a, U16 b) { return is_nan<Format>(a) || is_nan<Format>(b) ? kNan16 : plain(a, b); };
    const auto of_magnitudes = [](auto of, U16 a, U16 b) {
      const U16 bits = of(static_cast<U16>(a & 0x7FFF), static_cast<U16>(b & 0x7FFF));
      return is_nan<Format>(bits) ? bits : static_cast<U16>(bits | ((a ^ b) & 0x8000));
    };
    check_two<Format>(op, plain);
    check_two<Format>(op + ".NaN", nan_wins);
    check_two<Format>(op + ".xorsign.abs", [=](U16 a, U16 b) { return of_magnitudes(plain, a, b); });
    check_two<Format>(op + ".NaN.xorsign.abs", [=](U16 a, U16 b) { return of_magnitudes(nan_wins, a, b); });
  }
}

TEST(HalfExtrema, NanLosesUnlessItIsAskedToWin) {
  check_extrema<Binary16>();
  check_extrema<Brain16>();
}

TEST(HalfExtrema, FtzFlushesOperands) {
  for (const bool least : {true, false}) {
    const std::string op = least ? "min" : "max";
    const auto reference = [=](U16 a, U16 b) {
      return extremum<Binary16>(flushed<Binary16>(a), flushed<Binary16>(b), least);
    };
    check_two<Binary16>(op + ".ftz", reference);
    check_two<Binary16>(op + ".ftz.NaN", [=](U16 a, U16 b) {
      return is_nan<Binary16>(a) || is_nan<Binary16>(b) ? kNan16 : reference(a, b);
    });
  }
}

// --- approximate functions: the errors are those that the PTX ISA documents ---

/// Single elements, and pairs taken apart again.
template <class Format, class F>
void check_approximate(const std::string& instruction, double relative, double absolute, F exact) {
  const auto near = [=](U16 a) { return NearElement<Format>{exact(a), relative, absolute}; };
  check(instruction + "." + Format::kName + " %d, %a;", all_elements(), near);
  Snippet pairs{
      instruction + "." + Format::kName + "x2 %both, %a;\nmov.b32 {%d, %e}, %both;", {}, {}, ".reg .b32 %both;\n"};
  check(pairs, in_pairs(all_elements()),
        [=](U32 a) { return std::make_tuple(near(static_cast<U16>(a)), near(static_cast<U16>(a >> 16))); });
}

TEST(HalfApproximations, StayWithinTheDocumentedError) {
  // Subnormal results are as good as their unit allows.
  check_approximate<Binary16>("ex2.approx", std::exp2(-9.9), 0x1p-24,
                              [](U16 a) { return std::exp2(value_of<Binary16>(a)); });
  check_approximate<Binary16>("tanh.approx", 0, std::exp2(-10.987),
                              [](U16 a) { return std::tanh(value_of<Binary16>(a)); });
  check_approximate<Brain16>("tanh.approx", 0, 0x1p-8, [](U16 a) { return std::tanh(value_of<Brain16>(a)); });
  check_approximate<Brain16>("ex2.approx.ftz", 0x1p-7, 0, [](U16 a) {
    const double result = std::exp2(value_of<Brain16>(flushed<Brain16>(a)));
    return result < 0x1p-126 ? 0.0 : result;
  });
}

TEST(HalfArithmetic, LiteralsAreTheirBits) {
  check("add.f16 %d, %a, 0x3C00;", all_elements(),
        [](U16 a) { return rounded<Binary16>(Operation::kAdd, a, Binary16::kOne); });
  check("fma.rn.bf16x2 %d, %a, 0x3F803F80, 0x80008000;", in_pairs(all_elements()),
        [](U32 a) { return on_pairs([](U16 x) { return fused<Brain16>(x, Brain16::kOne, 0x8000); }, a); });
}

TEST(HalfArithmetic, WhatIsNotThereIsRefused) {
  const auto refused = [](const std::string& code, RegisterKind kind) {
    expect_refused({code, {kind}, {kind, kind, kind}, {}});
  };
  for (const char* code :
       {"add.rz.f16 %d, %a, %b;", "add.sat.bf16 %d, %a, %b;", "add.ftz.bf16 %d, %a, %b;", "mul.relu.f16 %d, %a, %b;",
        "div.f16 %d, %a, %b;", "mad.rn.f16 %d, %a, %b, %c;", "fma.f16 %d, %a, %b, %c;", "fma.rz.f16 %d, %a, %b, %c;",
        "fma.rn.oob.f16 %d, %a, %b, %c;", "fma.rn.sat.relu.f16 %d, %a, %b, %c;", "fma.rn.ftz.bf16 %d, %a, %b, %c;",
        "min.xorsign.f16 %d, %a, %b;", "min.ftz.bf16 %d, %a, %b;", "ex2.approx.ftz.f16 %d, %a;",
        "ex2.approx.bf16 %d, %a;", "tanh.f16 %d, %a;", "sin.approx.f16 %d, %a;", "rcp.approx.f16 %d, %a;"})
    refused(code, RegisterKind::k16);
  refused("add.f16 %d, %a, %b;", RegisterKind::k32);
  refused("add.f16x2 %d, %a, %b;", RegisterKind::k16);
}

}  // namespace
}  // namespace vgpu::test
