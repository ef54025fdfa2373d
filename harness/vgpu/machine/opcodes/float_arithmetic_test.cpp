// Floating-point arithmetic against exactly rounded references: every rounding, .ftz, .sat, NaN payloads, infinities,
// subnormals.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "harness/vgpu/machine/testing/exact_floats.h"
#include "harness/vgpu/machine/testing/snippet.h"

namespace vgpu::test {
namespace {

struct TwoOperands {
  const char* opcode;
  Operation operation;
};
constexpr TwoOperands kTwoOperands[] = {{"add", Operation::kAdd},
                                        {"sub", Operation::kSubtract},
                                        {"mul", Operation::kMultiply},
                                        {"div", Operation::kDivide}};

TEST(FloatArithmetic, TwoOperandsAreRoundedAsAsked) {
  for (const auto& [opcode, operation] : kTwoOperands) {
    for (const Rounding& rounding : kRoundings) {
      const auto reference = [&, op = operation](auto a, auto b) {
        return rounded(op, a, b, decltype(a){0}, rounding.mode);
      };
      check(std::string(opcode) + rounding.modifier + ".f32 %d, %a, %b;",
            [&](float a, float b) { return reference(a, b); });
      check(std::string(opcode) + rounding.modifier + ".f64 %d, %a, %b;", [&](double a, double b) {
        return PassedOnNan{reference(a, b), {a, b}};
      });
    }
  }
}

TEST(FloatArithmetic, WithoutARoundingItIsToNearest) {
  for (const auto& [opcode, operation] : kTwoOperands) {
    if (operation == Operation::kDivide) continue;  // needs one
    const auto op = operation;
    check(std::string(opcode) + ".f32 %d, %a, %b;",
          [=](float a, float b) { return rounded(op, a, b, 0.0f, FE_TONEAREST); });
    check(std::string(opcode) + ".f64 %d, %a, %b;", [=](double a, double b) {
      return PassedOnNan{rounded(op, a, b, 0.0, FE_TONEAREST), {a, b}};
    });
  }
}

TEST(FloatArithmetic, FtzFlushesOperandsAndResults) {
  for (const auto& [opcode, operation] : kTwoOperands) {
    for (const Rounding& rounding : kRoundings) {
      const auto op = operation;
      check(std::string(opcode) + rounding.modifier + ".ftz.f32 %d, %a, %b;",
            [=](float a, float b) { return flush(rounded(op, flush(a), flush(b), 0.0f, rounding.mode)); });
    }
  }
}

TEST(FloatArithmetic, SatClampsToTheUnitInterval) {
  for (const auto& [opcode, operation] : kTwoOperands) {
    if (operation == Operation::kDivide) continue;  // has no .sat
    for (const Rounding& rounding : kRoundings) {
      const auto op = operation;
      check(std::string(opcode) + rounding.modifier + ".sat.f32 %d, %a, %b;",
            [=](float a, float b) { return saturate(rounded(op, a, b, 0.0f, rounding.mode)); });
      check(std::string(opcode) + rounding.modifier + ".ftz.sat.f32 %d, %a, %b;",
            [=](float a, float b) { return saturate(flush(rounded(op, flush(a), flush(b), 0.0f, rounding.mode))); });
    }
  }
}

/// Products that a third operand nearly or wholly cancels, where rounding twice would show.
template <class T>
std::vector<std::tuple<T, T, T>> cancelling_rows() {
  std::vector<std::tuple<T, T, T>> rows = edge_rows<T, T, T>();
  const T epsilon = std::numeric_limits<T>::epsilon();
  for (const T a : {T{1} + epsilon, T{1} - epsilon / 2, T{3}, T{1} / T{3}, std::numeric_limits<T>::min()})
    for (const T b : {T{1} + epsilon, T{1} - epsilon / 2, T{7}, T{1} + 3 * epsilon, epsilon})
      for (const T c : {-a * b, -T{1}, epsilon * epsilon, -epsilon * epsilon, std::numeric_limits<T>::denorm_min()})
        rows.push_back({a, b, c});
  return rows;
}

TEST(FloatArithmetic, FmaRoundsOnce) {
  using F3 = std::vector<std::tuple<float, float, float>>;
  using D3 = std::vector<std::tuple<double, double, double>>;
  const F3 singles = cancelling_rows<float>();
  const D3 doubles = cancelling_rows<double>();
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const auto fused = [=](auto a, auto b, auto c) { return rounded(Operation::kFusedMultiplyAdd, a, b, c, mode); };
    const auto flushed = [=](float a, float b, float c) { return flush(fused(flush(a), flush(b), flush(c))); };
    for (const char* opcode : {"fma", "mad"}) {
      const std::string op = std::string(opcode) + rounding.modifier;
      check(op + ".f32 %d, %a, %b, %c;", singles, [=](float a, float b, float c) { return fused(a, b, c); });
      check(op + ".f64 %d, %a, %b, %c;", doubles, [=](double a, double b, double c) {
        return PassedOnNan{fused(a, b, c), {a, b, c}};
      });
      check(op + ".ftz.f32 %d, %a, %b, %c;", singles, [=](float a, float b, float c) { return flushed(a, b, c); });
      check(op + ".sat.f32 %d, %a, %b, %c;", singles,
            [=](float a, float b, float c) { return saturate(fused(a, b, c)); });
      check(op + ".ftz.sat.f32 %d, %a, %b, %c;", singles,
            [=](float a, float b, float c) { return saturate(flushed(a, b, c)); });
    }
  }
}

TEST(FloatArithmetic, RootsAndReciprocalsAreRoundedAsAsked) {
  for (const Rounding& rounding : kRoundings) {
    const int mode = rounding.mode;
    const std::string r = rounding.modifier;
    const auto reciprocal = [=](auto a) {
      return rounded(Operation::kDivide, decltype(a){1}, a, decltype(a){0}, mode);
    };
    check("sqrt" + r + ".f32 %d, %a;", [=](float a) { return rounded_root(a, mode); });
    check("sqrt" + r + ".f64 %d, %a;", [=](double a) { return rounded_root(a, mode); });
    check("sqrt" + r + ".ftz.f32 %d, %a;", [=](float a) { return flush(rounded_root(flush(a), mode)); });
    check("rcp" + r + ".f32 %d, %a;", [=](float a) { return reciprocal(a); });
    check("rcp" + r + ".f64 %d, %a;", [=](double a) { return reciprocal(a); });
    check("rcp" + r + ".ftz.f32 %d, %a;", [=](float a) { return flush(reciprocal(flush(a))); });
  }
}

// --- min, max and the sign ---

/// -0 is less than +0; a NaN loses against a number.
template <class T>
T extremum(T a, T b, bool least) {
  if (std::isnan(a) && std::isnan(b)) return nan_of(a, b);
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  const bool a_first = a < b || (a == b && std::signbit(a));
  return a_first == least ? a : b;
}

TEST(FloatExtrema, NumbersWinAgainstNan) {
  for (const bool least : {true, false}) {
    const std::string op = least ? "min" : "max";
    check(op + ".f32 %d, %a, %b;", [=](float a, float b) { return extremum(a, b, least); });
    check(op + ".f64 %d, %a, %b;", [=](double a, double b) { return PassedOnNan{extremum(a, b, least), {a, b}}; });
    check(op + ".ftz.f32 %d, %a, %b;", [=](float a, float b) { return extremum(flush(a), flush(b), least); });
  }
}

TEST(FloatExtrema, NanWinsWhereItIsAskedTo) {
  for (const bool least : {true, false}) {
    const std::string op = least ? "min" : "max";
    const auto reference = [=](float a, float b) {
      return std::isnan(a) || std::isnan(b) ? nan_of(a) : extremum(a, b, least);
    };
    check(op + ".NaN.f32 %d, %a, %b;", [=](float a, float b) { return reference(a, b); });
    check(op + ".ftz.NaN.f32 %d, %a, %b;", [=](float a, float b) { return reference(flush(a), flush(b)); });
  }
}

TEST(FloatSign, NegAndAbsChangeTheSignAlone) {
  const auto with_sign = [](double a, bool negative) {
    return bits_to<double>((bits_to<std::uint64_t>(a) & ~(1ull << 63)) | std::uint64_t{negative} << 63);
  };
  check("neg.f64 %d, %a;", [=](double a) { return with_sign(a, !std::signbit(a)); });
  check("abs.f64 %d, %a;", [=](double a) { return with_sign(a, false); });
  check("neg.f32 %d, %a;", [](float a) { return std::isnan(a) ? nan_of(a) : -a; });
  check("abs.f32 %d, %a;", [](float a) { return std::isnan(a) ? nan_of(a) : std::fabs(a); });
  check("neg.ftz.f32 %d, %a;", [](float a) { return std::isnan(a) ? nan_of(a) : -flush(a); });
  check("abs.ftz.f32 %d, %a;", [](float a) { return std::isnan(a) ? nan_of(a) : std::fabs(flush(a)); });
}

// copysign d, a, b gives b the sign of a.
TEST(FloatSign, CopysignTakesTheSignOfItsFirstOperand) {
  check("copysign.f32 %d, %a, %b;",
        [](std::uint32_t a, std::uint32_t b) { return (a & 0x80000000) | (b & 0x7FFFFFFF); });
  check("copysign.f64 %d, %a, %b;",
        [](std::uint64_t a, std::uint64_t b) { return (a & (1ull << 63)) | (b & ~(1ull << 63)); });
}

TEST(FloatProperties, TestpAnswersByTheEncoding) {
  const auto kind = [](auto a) { return std::fpclassify(a); };
  const auto check_both = [&](const char* question, auto answer) {
    check(std::string("testp.") + question + ".f32 %d, %a;", [=](float a) { return answer(kind(a)); });
    check(std::string("testp.") + question + ".f64 %d, %a;", [=](double a) { return answer(kind(a)); });
  };
  check_both("finite", [](int k) { return k != FP_NAN && k != FP_INFINITE; });
  check_both("infinite", [](int k) { return k == FP_INFINITE; });
  check_both("number", [](int k) { return k != FP_NAN; });
  check_both("notanumber", [](int k) { return k == FP_NAN; });
  check_both("normal", [](int k) { return k == FP_NORMAL; });
  check_both("subnormal", [](int k) { return k == FP_SUBNORMAL; });
}

// --- approximate functions: the errors are those that the PTX ISA documents ---

/// `exact` in double precision, on flushed operands and with a flushed result for .ftz.
template <class F>
void check_approximate(const std::string& opcode, double ulps, double absolute, F exact) {
  const auto near = [=](double value) { return Near{value, ulps, absolute}; };
  check(opcode + ".approx.f32 %d, %a;", [=](float a) { return near(exact(static_cast<double>(a))); });
  check(opcode + ".approx.ftz.f32 %d, %a;", [=](float a) {
    const double result = exact(static_cast<double>(flush(a)));
    return near(std::fabs(result) < 0x1p-126 ? std::copysign(0.0, result) : result);
  });
}

TEST(ApproximateFunctions, StayWithinTheDocumentedError) {
  check_approximate("rcp", 1, 0, [](double a) { return 1 / a; });
  check_approximate("sqrt", 2, 0, [](double a) { return std::sqrt(a); });
  check_approximate("rsqrt", 2, 0, [](double a) { return 1 / std::sqrt(a); });
  check_approximate("ex2", 2, 0, [](double a) { return std::exp2(a); });
  check_approximate("lg2", 2, 0x1p-22, [](double a) { return std::log2(a); });
  check("tanh.approx.f32 %d, %a;", [](float a) {
    const double exact = std::tanh(static_cast<double>(a));
    return Near{exact, 0, std::fabs(exact) * 0x1p-11 + 0x1p-133};
  });
}

// Documented from -100 pi to 100 pi.
TEST(ApproximateFunctions, SinAndCosAreGoodNearZero) {
  std::vector<std::tuple<float>> rows;
  for (const float a : edge_values<float>())
    if (!(std::fabs(a) > 314.0f) || std::isnan(a) || std::isinf(a)) rows.push_back({a});
  for (int i = -1000; i <= 1000; ++i) rows.push_back({static_cast<float>(i) * 0.314f});
  const auto near = [](double exact, float a) {
    return Near{exact, 0, std::fabs(a) <= 6.2831853f ? 0x1p-20 : 0x1p-14};
  };
  check("sin.approx.f32 %d, %a;", rows, [=](float a) { return near(std::sin(static_cast<double>(a)), a); });
  check("cos.approx.f32 %d, %a;", rows, [=](float a) { return near(std::cos(static_cast<double>(a)), a); });
  check("sin.approx.ftz.f32 %d, %a;", rows, [=](float a) { return near(std::sin(static_cast<double>(flush(a))), a); });
  check("cos.approx.ftz.f32 %d, %a;", rows, [=](float a) { return near(std::cos(static_cast<double>(flush(a))), a); });
}

TEST(ApproximateFunctions, DivIsGoodToTwoUnits) {
  const auto exact = [](float a, float b) { return static_cast<double>(a) / static_cast<double>(b); };
  const auto flushed = [=](float a, float b) {
    const double result = exact(flush(a), flush(b));
    return std::fabs(result) < 0x1p-126 ? std::copysign(0.0, result) : result;
  };
  // Quotients by divisors beyond 2^126 are documented as 0, or NaN of an infinity.
  const auto huge = [](float b) { return std::fabs(b) > 0x1p126f && !std::isinf(b); };
  const auto beyond = [](float a, float b) {
    return std::isinf(a) || std::isnan(a) ? std::numeric_limits<double>::quiet_NaN()
                                          : std::copysign(0.0, std::signbit(a) != std::signbit(b) ? -1.0 : 1.0);
  };
  check("div.full.f32 %d, %a, %b;", [=](float a, float b) { return Near{exact(a, b), 2, 0}; });
  check("div.full.ftz.f32 %d, %a, %b;", [=](float a, float b) { return Near{flushed(a, b), 2, 0x1p-126}; });
  check("div.approx.f32 %d, %a, %b;", [=](float a, float b) {
    return Near{huge(b) ? beyond(a, b) : exact(a, b), 2, 0};
  });
  check("div.approx.ftz.f32 %d, %a, %b;", [=](float a, float b) {
    return Near{huge(b) ? beyond(a, b) : flushed(a, b), 2, 0x1p-126};
  });
}

TEST(ApproximateFunctions, DoublePrecisionHasAFewBits) {
  check("rsqrt.approx.f64 %d, %a;", [](double a) { return NearDouble{1 / std::sqrt(a), 0x1p-20}; });
  // .ftz reads the upper 32 bits alone and leaves the lower ones zero.
  const auto upper = [](double a) { return bits_to<double>(bits_to<std::uint64_t>(a) & 0xFFFFFFFF00000000u); };
  const auto flush64 = [](double a) { return std::fabs(a) < 0x1p-1022 ? std::copysign(0.0, a) : a; };
  const auto read = [=](double a) { return flush64(upper(a)); };
  check("rcp.approx.ftz.f64 %d, %a;", [=](double a) { return NearDouble{flush64(1 / read(a)), 0x1p-20}; });
  check("rsqrt.approx.ftz.f64 %d, %a;", [=](double a) { return NearDouble{1 / std::sqrt(read(a)), 0x1p-20}; });
  for (const char* op : {"rcp", "rsqrt"})
    check(std::string(op) + ".approx.ftz.f64 %d, %a;\nand.b64 %d, %d, 0xFFFFFFFF;", [](double) { return 0ull; });
}

TEST(FloatArithmetic, LiteralsInEitherNotationAreOperands) {
  check("add.f32 %d, %a, 0f3F800000;", [](float a) { return rounded(Operation::kAdd, a, 1.0f, 0.0f, FE_TONEAREST); });
  check("mul.f64 %d, %a, 0d4000000000000000;",
        [](double a) { return rounded(Operation::kMultiply, a, 2.0, 0.0, FE_TONEAREST); });
  check("add.f32 %d, %a, 1.5;", [](float a) { return rounded(Operation::kAdd, a, 1.5f, 0.0f, FE_TONEAREST); });
  check("fma.rn.f64 %d, %a, 2.5, -0.5;",
        [](double a) { return rounded(Operation::kFusedMultiplyAdd, a, 2.5, -0.5, FE_TONEAREST); });
}

TEST(FloatArithmetic, WhatIsNotThereIsRefused) {
  const auto refused = [](const std::string& code, RegisterKind kind) {
    expect_refused({code, {kind}, {kind, kind, kind}, {}});
  };
  refused("add.ftz.f64 %d, %a, %b;", RegisterKind::k64);
  refused("min.ftz.f64 %d, %a, %b;", RegisterKind::k64);
  refused("fma.rn.relu.f32 %d, %a, %b, %c;", RegisterKind::k32);
  refused("min.xorsign.abs.f32 %d, %a, %b;", RegisterKind::k32);
  refused("tanh.f32 %d, %a;", RegisterKind::k32);
  refused("sin.f32 %d, %a;", RegisterKind::k32);
  refused("div.approx.f64 %d, %a, %b;", RegisterKind::k64);
}

}  // namespace
}  // namespace vgpu::test
