// What device functions should return, computed by GNU MPFR with far more digits than a double has.
#pragma once

#include <mpfr.h>

#if MPFR_VERSION < MPFR_VERSION_NUM(4, 2, 0)
#error "GNU MPFR 4.2 or newer is needed"
#endif

namespace vgpu::test {

/// A number of 128 bits with an exponent that does not overflow.
class Exact {
 public:
  Exact() { mpfr_init2(value_, 128); }
  explicit Exact(double number) : Exact() { mpfr_set_d(value_, number, MPFR_RNDN); }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;

  // NOLINTNEXTLINE(google-explicit-constructor): so that it goes where MPFR's functions ask for their own type
  operator mpfr_ptr() { return value_; }

 private:
  mpfr_t value_;
};

/// A function of one or more arguments, each of them exactly a double. Results are right to 80 bits or more;
/// infinities, NaN and signs of zero are those that the CUDA Math API names, or else those of the C standard.
using ExactFunction = void (*)(mpfr_ptr result, const double* arguments);

template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
void exact(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]);
  kFunction(result, x, MPFR_RNDN);
}
template <int (*kFunction)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
void exact_of_two(mpfr_ptr result, const double* arguments) {
  Exact x(arguments[0]), y(arguments[1]);
  kFunction(result, x, y, MPFR_RNDN);
}

/// The square root of a sum of `count` squares.
void exact_norm(mpfr_ptr result, const double* arguments, int count);
template <int kCount>
void exact_norm(mpfr_ptr result, const double* arguments) {
  exact_norm(result, arguments, kCount);
}
template <int kCount>
void exact_inverse_norm(mpfr_ptr result, const double* arguments) {
  exact_norm(result, arguments, kCount);
  mpfr_ui_div(result, 1, result, MPFR_RNDN);
}

void exact_sinpi(mpfr_ptr result, const double* arguments);
void exact_cospi(mpfr_ptr result, const double* arguments);
void exact_rcbrt(mpfr_ptr result, const double* arguments);
void exact_lgamma(mpfr_ptr result, const double* arguments);

void exact_erfcx(mpfr_ptr result, const double* arguments);
void exact_erfinv(mpfr_ptr result, const double* arguments);
void exact_erfcinv(mpfr_ptr result, const double* arguments);
void exact_normcdf(mpfr_ptr result, const double* arguments);
void exact_normcdfinv(mpfr_ptr result, const double* arguments);

void exact_i0(mpfr_ptr result, const double* arguments);
void exact_i1(mpfr_ptr result, const double* arguments);
void exact_j1(mpfr_ptr result, const double* arguments);
void exact_jn(mpfr_ptr result, const double* arguments);  ///< of the order arguments[0]
void exact_yn(mpfr_ptr result, const double* arguments);

void exact_logb(mpfr_ptr result, const double* arguments);
void exact_ilogb(mpfr_ptr result, const double* arguments);
void exact_scalbn(mpfr_ptr result, const double* arguments);
void exact_powi(mpfr_ptr result, const double* arguments);

}  // namespace vgpu::test
