// What exact_math.cpp makes of MPFR's functions comes to well-known constants.
#include "harness/vgpu/machine/testing/exact_math.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vgpu::test {
namespace {

TEST(ExactMath, ComesToKnownConstants) {
  const struct {
    const char* name;
    ExactFunction function;
    double arguments[2];
    const char* expected;
  } rows[] = {
      {"sinpi", exact_sinpi, {0.25}, "0.70710678118654752440084436210484903928"},
      {"cospi", exact_cospi, {-1.75}, "0.70710678118654752440084436210484903928"},
      {"rcbrt", exact_rcbrt, {2}, "0.79370052598409973737585281963615413020"},
      {"lgamma", exact_lgamma, {0.5}, "0.57236494292470008707171367567652935582"},
      {"erfcx", exact_erfcx, {1}, "0.42758357615580700441075034449051515308"},
      {"erfinv", exact_erfinv, {0.5}, "0.47693627620446987338141835364313055981"},
      {"erfcinv", exact_erfcinv, {1.5}, "-0.47693627620446987338141835364313055981"},
      {"normcdf", exact_normcdf, {1}, "0.84134474606854294858523254563203792241"},
      {"normcdfinv", exact_normcdfinv, {0.75}, "0.67448975019608174320222701454130718539"},
      {"cyl_bessel_i0", exact_i0, {1}, "1.26606587775200833559824462521471753761"},
      {"cyl_bessel_i1", exact_i1, {-1}, "-0.56515910399248502720769602760986330733"},
      {"jn", exact_jn, {2, 1}, "0.11490348493190048046964688133516660535"},
      {"hypot", exact_norm<2>, {1, 2}, "2.23606797749978969640917366873127623544"},
  };
  for (const auto& row : rows) {
    Exact result, expected;
    row.function(result, row.arguments);
    mpfr_set_str(expected, row.expected, 10, MPFR_RNDN);
    mpfr_reldiff(result, result, expected, MPFR_RNDN);
    EXPECT_LT(std::fabs(mpfr_get_d(result, MPFR_RNDN)), 0x1p-80) << row.name;
  }
}

// From 2e4 on it sums a series instead.
TEST(ExactMath, TakesErfcxFromEitherFormulaWhereTheyMeet) {
  const double below = std::nextafter(2e4, 0), above = 2e4;
  Exact first, second;
  exact_erfcx(first, &below);
  exact_erfcx(second, &above);
  mpfr_mul_d(first, first, below, MPFR_RNDN);  // erfcx(x) is nearly 1 / (x sqrt(pi))
  mpfr_mul_d(second, second, above, MPFR_RNDN);
  mpfr_reldiff(first, first, second, MPFR_RNDN);
  EXPECT_LT(std::fabs(mpfr_get_d(first, MPFR_RNDN)), 0x1p-78);
}

}  // namespace
}  // namespace vgpu::test
