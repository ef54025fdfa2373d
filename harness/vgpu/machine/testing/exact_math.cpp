#include "harness/vgpu/machine/testing/exact_math.h"

#include <climits>
#include <cmath>

namespace vgpu::test {
namespace {

constexpr mpfr_rnd_t kNearest = MPFR_RNDN;

/// The derivative of erf.
void slope_of_erf(mpfr_ptr result, mpfr_srcptr z) {
  Exact pi;
  mpfr_const_pi(pi, kNearest);
  mpfr_sqr(result, z, kNearest);
  mpfr_neg(result, result, kNearest);
  mpfr_exp(result, result, kNearest);
  mpfr_rec_sqrt(pi, pi, kNearest);
  mpfr_mul(result, result, pi, kNearest);
  mpfr_mul_ui(result, result, 2, kNearest);
}

/// The z where erf(z), or erfc(z) if it is `complementary`, is `wanted`, by Newton's method: first in the host's
/// numbers, then in ours. Both functions are monotonic, so that it converges to the only solution whatever it starts
/// from; what the last step leaves is about its square.
void solve(mpfr_ptr z, mpfr_srcptr wanted, bool complementary) {
  const long double target = mpfr_get_ld(wanted, kNearest);
  long double start = complementary ? std::sqrt(-std::log(target)) : target;
  for (int step = 0; step < 6; ++step) {
    const long double slope = std::exp(-start * start) * 1.128379167095512574L, rest = std::erfc(start);
    start += complementary ? (std::log(rest) - std::log(target)) * rest / slope : (target - std::erf(start)) / slope;
  }
  mpfr_set_ld(z, start, kNearest);
  Exact value, slope, log_of_wanted;
  mpfr_log(log_of_wanted, wanted, kNearest);
  for (int step = 0; step < 20; ++step) {
    slope_of_erf(slope, z);
    if (complementary) {  // by logarithms: the one of erfc is nearly a parabola
      mpfr_erfc(value, z, kNearest);
      mpfr_div(slope, slope, value, kNearest);
      mpfr_log(value, value, kNearest);
      mpfr_sub(value, value, log_of_wanted, kNearest);
    } else {
      mpfr_erf(value, z, kNearest);
      mpfr_sub(value, wanted, value, kNearest);
    }
    mpfr_div(value, value, slope, kNearest);
    mpfr_add(z, z, value, kNearest);
    if (mpfr_zero_p(value) || mpfr_get_exp(value) < mpfr_get_exp(z) - 45) return;
  }
  mpfr_set_nan(z);
}

void invert_erf(mpfr_ptr z, mpfr_ptr x);
/// erfc(z) = y
void invert_erfc(mpfr_ptr z, mpfr_ptr y) {
  Exact rest;
  mpfr_ui_sub(rest, 1, y, kNearest);
  if (mpfr_sgn(y) < 0)
    mpfr_set_nan(z);
  else if (mpfr_regular_p(y) && mpfr_cmp_d(y, 0.5) < 0)
    solve(z, y, true);
  else
    invert_erf(z, rest);
}
/// erf(z) = x
void invert_erf(mpfr_ptr z, mpfr_ptr x) {
  if (mpfr_zero_p(x) || mpfr_nan_p(x)) {
    mpfr_set(z, x, kNearest);
  } else if (mpfr_cmpabs_ui(x, 1) >= 0) {
    mpfr_cmpabs_ui(x, 1) == 0 ? mpfr_set_inf(z, mpfr_sgn(x)) : mpfr_set_nan(z);
  } else {
    Exact size;
    mpfr_abs(size, x, kNearest);
    if (mpfr_cmp_d(size, 0.5) > 0) {
      mpfr_ui_sub(size, 1, size, kNearest);
      solve(z, size, true);
    } else {
      solve(z, size, false);
    }
    mpfr_setsign(z, z, mpfr_signbit(x), kNearest);
  }
}

void modified_bessel(mpfr_ptr sum, double x, unsigned int order) {
  Exact term(order == 0 ? 2 : x), quarter(x);
  mpfr_div_ui(term, term, 2, kNearest);
  mpfr_set(sum, term, kNearest);
  if (std::isnan(x)) return mpfr_set_nan(sum);
  if (std::fabs(x) > 1000) return mpfr_set_inf(sum, order == 0 || x > 0 ? 1 : -1);  // it is greater than any double
  mpfr_sqr(quarter, quarter, kNearest);
  mpfr_div_ui(quarter, quarter, 4, kNearest);
  for (unsigned int k = 1; mpfr_regular_p(term) && mpfr_get_exp(term) > mpfr_get_exp(sum) - 130; ++k) {
    mpfr_mul(term, term, quarter, kNearest);
    mpfr_div_ui(term, term, k * (k + order), kNearest);
    mpfr_add(sum, sum, term, kNearest);
  }
}

}  // namespace

void exact_norm(mpfr_ptr result, const double* arguments, int count) {
  Exact square;
  mpfr_set_zero(result, 1);
  for (int n = 0; n < count; ++n) {
    if (std::isinf(arguments[n])) return mpfr_set_inf(result, 1);
    mpfr_set_d(square, arguments[n], kNearest);
    mpfr_sqr(square, square, kNearest);
    mpfr_add(result, result, square, kNearest);
  }
  mpfr_sqrt(result, result, kNearest);
}

void exact_sinpi(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]);
  mpfr_sinu(result, x, 2, kNearest);
}
void exact_cospi(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]);
  mpfr_cosu(result, x, 2, kNearest);
}
void exact_rcbrt(mpfr_ptr result, const double* arguments) {
  exact<mpfr_cbrt>(result, arguments);
  mpfr_ui_div(result, 1, result, kNearest);
}
void exact_lgamma(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]);
  int sign;
  mpfr_lgamma(result, &sign, x, kNearest);
}

void exact_erfcx(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]), square;
  mpfr_sqr(square, x, kNearest);  // exact
  if (arguments[0] < 2e4) {
    mpfr_erfc(result, x, kNearest);
    mpfr_exp(square, square, kNearest);
    mpfr_mul(result, result, square, kNearest);
    return;
  }
  // 1 / (x sqrt(pi)) (1 - 1 / (2 x^2) + 3 / (4 x^4) - ...); the next term is below 2^-85.
  Exact series, pi;
  mpfr_d_div(series, 0.75, square, kNearest);
  mpfr_d_sub(series, 0.5, series, kNearest);
  mpfr_div(series, series, square, kNearest);
  mpfr_ui_sub(series, 1, series, kNearest);
  mpfr_const_pi(pi, kNearest);
  mpfr_sqrt(pi, pi, kNearest);
  mpfr_mul(x, x, pi, kNearest);
  mpfr_div(result, series, x, kNearest);
  if (std::isinf(arguments[0])) mpfr_set_zero(result, 1);
}
void exact_erfinv(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]);
  invert_erf(result, x);
}
void exact_erfcinv(mpfr_ptr result, const double* arguments) {
  Exact y(arguments[0]);
  invert_erfc(result, y);
}
void exact_normcdf(mpfr_ptr result, const double* arguments) {
  Exact z(0.5);
  mpfr_sqrt(z, z, kNearest);
  mpfr_mul_d(z, z, -arguments[0], kNearest);
  mpfr_erfc(result, z, kNearest);
  mpfr_div_ui(result, result, 2, kNearest);
}
void exact_normcdfinv(mpfr_ptr result, const double* arguments) {
  Exact y(arguments[0]), root(2);
  mpfr_mul_ui(y, y, 2, kNearest);
  invert_erfc(result, y);
  mpfr_sqrt(root, root, kNearest);
  mpfr_mul(result, result, root, kNearest);
  mpfr_neg(result, result, kNearest);
}

void exact_i0(mpfr_ptr result, const double* arguments) { modified_bessel(result, arguments[0], 0); }
void exact_i1(mpfr_ptr result, const double* arguments) { modified_bessel(result, arguments[0], 1); }
void exact_j1(mpfr_ptr result, const double* arguments) {
  exact<mpfr_j1>(result, arguments);
  if (std::isinf(arguments[0])) mpfr_set_zero(result, arguments[0] > 0 ? 1 : -1);
}
void exact_jn(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[1]);
  mpfr_jn(result, static_cast<long>(arguments[0]), x, kNearest);
}
void exact_yn(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[1]);
  mpfr_yn(result, static_cast<long>(arguments[0]), x, kNearest);
}

void exact_logb(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]);
  if (mpfr_nan_p(x))
    mpfr_set_nan(result);
  else if (mpfr_regular_p(x))
    mpfr_set_si(result, mpfr_get_exp(x) - 1, kNearest);
  else
    mpfr_set_inf(result, mpfr_inf_p(x) ? 1 : -1);
}
void exact_ilogb(mpfr_ptr result, const double* arguments) {
  exact_logb(result, arguments);
  if (!mpfr_number_p(result)) mpfr_set_si(result, std::isinf(arguments[0]) ? INT_MAX : INT_MIN, kNearest);
}
void exact_scalbn(mpfr_ptr result, const double* arguments) {
  mpfr_set_d(result, arguments[0], kNearest);
  mpfr_mul_2si(result, result, static_cast<long>(arguments[1]), kNearest);
}
void exact_powi(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]);
  mpfr_pow_si(result, x, static_cast<long>(arguments[1]), kNearest);
}

}  // namespace vgpu::test
