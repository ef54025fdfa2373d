#include "harness/vgpu/machine/device_math.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>

namespace vgpu {
namespace {

// Wider than double on x86-64 and on 64-bit Arm: what has no function in libm is computed in it.
using Wide = long double;
constexpr Wide kPi = 3.14159265358979323846264338327950288L;
constexpr Wide kRootOfHalf = 0.70710678118654752440084436210484904L;
constexpr Wide kTwoOverRootOfPi = 1.12837916709551257389615890312154517L;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double sin_pi(double x) {
  double turns = std::remainder(x, 2.0);  // exact, as is what follows
  if (std::fabs(turns) > 0.5) turns = std::copysign(1.0, turns) - turns;
  return turns == 0 ? std::copysign(0.0, x) : static_cast<double>(std::sin(kPi * turns));
}
double cos_pi(double x) {
  return static_cast<double>(std::sin(kPi * (0.5L - static_cast<Wide>(std::fabs(std::remainder(x, 2.0))))));
}

// --- the error function's relatives ---

Wide scaled_erfc(Wide x) {
  if (x < 10) return std::exp(x * x) * std::erfc(x);
  Wide sum = 1, term = 1;  // asymptotic; by the 25th term it is exact
  for (int k = 1; k < 25; ++k) sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum * kTwoOverRootOfPi / (2 * x);
}
double erfcx(double x) { return std::isinf(x) ? (x > 0 ? 0.0 : kInfinity) : static_cast<double>(scaled_erfc(x)); }

/// erf(z) = x, for |x| up to one half: Newton's method.
Wide inverse_near_zero(Wide x) {
  Wide z = x / kTwoOverRootOfPi;
  for (int i = 0; i < 6; ++i) z -= (std::erf(z) - x) / (kTwoOverRootOfPi * std::exp(-z * z));
  return z;
}
/// erfc(z) = y, for y up to one half: the same on logarithms, which are nearly a parabola.
Wide inverse_in_tail(Wide y) {
  const Wide wanted = std::log(y);
  Wide z = std::sqrt(-wanted);
  for (int i = 0; i < 12; ++i) {
    const Wide scaled = scaled_erfc(z);  // erfc itself, and its logarithm, without exp(-z * z)
    z += (std::log(scaled) - z * z - wanted) * scaled / kTwoOverRootOfPi;
  }
  return z;
}
double erf_inverse(double x) {
  const double size = std::fabs(x);
  if (!(size <= 1)) return kNan;
  if (size == 1) return std::copysign(kInfinity, x);
  if (x == 0) return x;
  return static_cast<double>(size <= 0.5 ? inverse_near_zero(x) : std::copysign(inverse_in_tail(1 - size), Wide{x}));
}
double erfc_inverse(double y) {
  if (!(y >= 0 && y <= 2)) return kNan;
  if (y == 0) return kInfinity;
  return y <= 0.5 ? static_cast<double>(inverse_in_tail(y)) : erf_inverse(1 - y);  // the difference is exact
}
double normal(double x) { return static_cast<double>(std::erfc(-x * kRootOfHalf) / 2); }
double normal_inverse(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p <= 0.25) return p == 0 ? -kInfinity : static_cast<double>(-inverse_in_tail(2 * Wide{p}) / kRootOfHalf);
  return static_cast<double>(-Wide{erfc_inverse(2 * p)} / kRootOfHalf);
}

// --- Bessel functions ---

/// Sums of positive terms: x / 2 to the power of `order`, times those of x * x / 4 divided by k! and (k + order)!.
double modified_bessel(int order, double x) {
  if (std::isnan(x)) return x;
  const Wide size = std::fabs(x), quarter = size * size / 4;
  Wide term = order == 0 ? 1 : size / 2, sum = term;
  if (size > 720) sum = kInfinity;
  for (int k = 1; size <= 720 && term > sum * 1e-22L; ++k) sum += term *= quarter / (Wide{1} * k * (k + order));
  return static_cast<double>(order == 0 ? sum : std::copysign(sum, Wide{x}));
}
double bessel_i0(double x) { return modified_bessel(0, x); }
double bessel_i1(double x) { return modified_bessel(1, x); }

/// A zero of a Bessel function: a double, and what is missing.
struct Zero {
  double head;
  Wide tail;
};
// Those below 8, up to where the guide bounds the relative error.
constexpr Zero kZerosOfJ0[] = {{2.4048255576957729, -1.17669165153089412209e-16L},
                               {5.5200781102863106, 8.08859714614672230915e-17L}};
constexpr Zero kZerosOfJ1[] = {{3.8317059702075125, -1.52691840900880674676e-16L},
                               {7.0155866698156188, -9.41416565341038909824e-17L}};
constexpr Zero kZerosOfY0[] = {{0.89357696627916749, 2.65962315397203846439e-17L},
                               {3.957678419314858, -1.07643406975627057823e-16L},
                               {7.0860510603017728, -8.835285723085408112e-17L}};
constexpr Zero kZerosOfY1[] = {{2.1971413260310171, -4.82598358764549657619e-17L},
                               {5.4296810407941347, 4.16251402667037697388e-16L}};

/// A solution of Bessel's equation at `offset` from one of its zeros, where it has this slope: the Taylor series, whose
/// coefficients follow from the equation.
Wide near_zero(Wide order, Wide zero, Wide slope, Wide offset) {
  Wide coefficients[] = {0, 0, 0, slope};  // the last four
  Wide power = offset, sum = slope * offset;
  for (int k = 0; k < 18; ++k) {
    const auto& [c0, c1, c2, c3] = coefficients;
    const Wide next =
        -(zero * (k + 1) * (2 * k + 1) * c3 + (k * k + zero * zero - order * order) * c2 + 2 * zero * c1 + c0) /
        (zero * zero * (k + 1) * (k + 2));
    std::rotate(std::begin(coefficients), std::begin(coefficients) + 1, std::end(coefficients));
    coefficients[3] = next;
    sum += next * (power *= offset);
  }
  return sum;
}
/// Of order 0 or 1, by the two of its kind in libm: those of long double, since double's are far off near the zeros,
/// and nearer than 1/16 by the series.
template <std::size_t kCount>
double bessel(int order, const Zero (&zeros)[kCount], Wide (*zeroth)(Wide), Wide (*first)(Wide), double x) {
  if (std::isinf(x)) return order == 1 ? std::copysign(0.0, x) : 0.0;  // libm's signs differ between processors
  for (const Zero& zero : zeros) {
    const Wide offset = (std::fabs(x) - zero.head) - zero.tail, place = zero.head + zero.tail;
    if (std::fabs(offset) >= 0.0625L) continue;
    const Wide value = near_zero(order, place, order == 0 ? -first(place) : zeroth(place), offset);
    return static_cast<double>(order == 1 && x < 0 ? -value : value);
  }
  return static_cast<double>(order == 0 ? zeroth(x) : first(x));
}
double bessel_j0(double x) { return bessel(0, kZerosOfJ0, ::j0l, ::j1l, x); }
double bessel_j1(double x) { return bessel(1, kZerosOfJ1, ::j0l, ::j1l, x); }
double bessel_jn(int n, double x) { return n < 0 ? kNan : static_cast<double>(::jnl(n, x)); }
double bessel_y0(double x) { return x < 0 ? kNan : bessel(0, kZerosOfY0, ::y0l, ::y1l, x); }
double bessel_y1(double x) { return x < 0 ? kNan : bessel(1, kZerosOfY1, ::y0l, ::y1l, x); }
double bessel_yn(int n, double x) { return n < 0 || x < 0 ? kNan : static_cast<double>(::ynl(n, x)); }

// --- powers, roots, lengths ---

// Those of double may be off by two units or more, where one is allowed.
double cube_root(double x) { return static_cast<double>(std::cbrt(Wide{x})); }
double cosh_of(double x) { return static_cast<double>(std::cosh(Wide{x})); }
double log10_of(double x) { return static_cast<double>(std::log10(Wide{x})); }
double tanh_of(double x) { return static_cast<double>(std::tanh(Wide{x})); }

double exp10_of(double x) { return static_cast<double>(::exp10l(x)); }
double inverse_cube_root(double x) { return static_cast<double>(1 / std::cbrt(Wide{x})); }
Wide length(std::initializer_list<double> numbers) {
  Wide sum = 0;
  for (const double number : numbers) {
    if (std::isinf(number)) return kInfinity;
    sum += Wide{number} * number;
  }
  return std::sqrt(sum);
}
double hypot_of(double a, double b) { return static_cast<double>(length({a, b})); }
double norm3(double a, double b, double c) { return static_cast<double>(length({a, b, c})); }
double norm4(double a, double b, double c, double d) { return static_cast<double>(length({a, b, c, d})); }
double inverse_hypot(double a, double b) { return static_cast<double>(1 / length({a, b})); }
double inverse_norm3(double a, double b, double c) { return static_cast<double>(1 / length({a, b, c})); }
double inverse_norm4(double a, double b, double c, double d) { return static_cast<double>(1 / length({a, b, c, d})); }
double log_of_gamma(double x) {
  int sign;
  return static_cast<double>(::lgammal_r(x, &sign));
}
int exponent(double x) {
  if (x == 0 || std::isnan(x)) return INT_MIN;
  return std::isinf(x) ? INT_MAX : std::ilogb(x);
}
double to_power(double x, int n) { return std::pow(x, n); }

// --- how they are called ---

template <class T>
T argument(MathArguments arguments, int n) {
  T value;
  std::memcpy(&value, arguments[n], sizeof value);
  return value;
}
template <class T>
void put(std::byte* result, T value) {
  std::memcpy(result, &value, sizeof value);
}

// Functions of double serve float as well: they are then right to the last bit but one in a thousand millions.
template <class T, double (*kFunction)(double)>
void of_one(MathArguments a, std::byte* result) {
  put(result, static_cast<T>(kFunction(argument<T>(a, 0))));
}
template <class T, double (*kFunction)(double, double)>
void of_two(MathArguments a, std::byte* result) {
  put(result, static_cast<T>(kFunction(argument<T>(a, 0), argument<T>(a, 1))));
}
template <class T, double (*kFunction)(double, double, double)>
void of_three(MathArguments a, std::byte* result) {
  put(result, static_cast<T>(kFunction(argument<T>(a, 0), argument<T>(a, 1), argument<T>(a, 2))));
}
template <class T, double (*kFunction)(double, double, double, double)>
void of_four(MathArguments a, std::byte* result) {
  put(result, static_cast<T>(kFunction(argument<T>(a, 0), argument<T>(a, 1), argument<T>(a, 2), argument<T>(a, 3))));
}
template <class T, double (*kFunction)(int, double)>
void of_order(MathArguments a, std::byte* result) {
  put(result, static_cast<T>(kFunction(argument<int>(a, 0), argument<T>(a, 1))));
}
template <class T, double (*kFunction)(double, int)>
void of_number_and_int(MathArguments a, std::byte* result) {
  put(result, static_cast<T>(kFunction(argument<T>(a, 0), argument<int>(a, 1))));
}
template <class T>
void exponent_of(MathArguments a, std::byte* result) {
  put(result, exponent(argument<T>(a, 0)));
}
// These two depend on the type itself.
template <class T>
void positive_difference(MathArguments a, std::byte* result) {
  put(result, std::fdim(argument<T>(a, 0), argument<T>(a, 1)));
}
template <class T>
void next_after(MathArguments a, std::byte* result) {
  put(result, std::nextafter(argument<T>(a, 0), argument<T>(a, 1)));
}

#define VGPU_MATH(name, count, how, function)                      \
  {"__nv_" name, count, sizeof(double), &how<double, function>}, { \
    "__nv_" name "f", count, sizeof(float), &how<float, function>  \
  }
constexpr MathFunction kFunctions[] = {
    VGPU_MATH("acos", 1, of_one, ::acos),
    VGPU_MATH("acosh", 1, of_one, ::acosh),
    VGPU_MATH("asin", 1, of_one, ::asin),
    VGPU_MATH("asinh", 1, of_one, ::asinh),
    VGPU_MATH("atan", 1, of_one, ::atan),
    VGPU_MATH("atan2", 2, of_two, ::atan2),
    VGPU_MATH("atanh", 1, of_one, ::atanh),
    VGPU_MATH("cbrt", 1, of_one, cube_root),
    VGPU_MATH("cos", 1, of_one, ::cos),
    VGPU_MATH("cosh", 1, of_one, cosh_of),
    VGPU_MATH("cospi", 1, of_one, cos_pi),
    VGPU_MATH("cyl_bessel_i0", 1, of_one, bessel_i0),
    VGPU_MATH("cyl_bessel_i1", 1, of_one, bessel_i1),
    VGPU_MATH("erf", 1, of_one, ::erf),
    VGPU_MATH("erfc", 1, of_one, ::erfc),
    VGPU_MATH("erfcinv", 1, of_one, erfc_inverse),
    VGPU_MATH("erfcx", 1, of_one, erfcx),
    VGPU_MATH("erfinv", 1, of_one, erf_inverse),
    VGPU_MATH("exp", 1, of_one, ::exp),
    VGPU_MATH("exp10", 1, of_one, exp10_of),
    VGPU_MATH("exp2", 1, of_one, ::exp2),
    VGPU_MATH("expm1", 1, of_one, ::expm1),
    VGPU_MATH("fmod", 2, of_two, ::fmod),
    VGPU_MATH("hypot", 2, of_two, hypot_of),
    VGPU_MATH("j0", 1, of_one, bessel_j0),
    VGPU_MATH("j1", 1, of_one, bessel_j1),
    VGPU_MATH("jn", 2, of_order, bessel_jn),
    VGPU_MATH("ldexp", 2, of_number_and_int, ::ldexp),
    VGPU_MATH("lgamma", 1, of_one, log_of_gamma),
    VGPU_MATH("log", 1, of_one, ::log),
    VGPU_MATH("log10", 1, of_one, log10_of),
    VGPU_MATH("log1p", 1, of_one, ::log1p),
    VGPU_MATH("log2", 1, of_one, ::log2),
    VGPU_MATH("logb", 1, of_one, ::logb),
    VGPU_MATH("normcdf", 1, of_one, normal),
    VGPU_MATH("normcdfinv", 1, of_one, normal_inverse),
    VGPU_MATH("pow", 2, of_two, ::pow),
    VGPU_MATH("powi", 2, of_number_and_int, to_power),
    VGPU_MATH("rcbrt", 1, of_one, inverse_cube_root),
    VGPU_MATH("remainder", 2, of_two, ::remainder),
    VGPU_MATH("rhypot", 2, of_two, inverse_hypot),
    VGPU_MATH("scalbn", 2, of_number_and_int, ::scalbn),
    VGPU_MATH("sin", 1, of_one, ::sin),
    VGPU_MATH("sinh", 1, of_one, ::sinh),
    VGPU_MATH("sinpi", 1, of_one, sin_pi),
    VGPU_MATH("tan", 1, of_one, ::tan),
    VGPU_MATH("tanh", 1, of_one, tanh_of),
    VGPU_MATH("tgamma", 1, of_one, ::tgamma),
    VGPU_MATH("y0", 1, of_one, bessel_y0),
    VGPU_MATH("y1", 1, of_one, bessel_y1),
    VGPU_MATH("yn", 2, of_order, bessel_yn),
    {"__nv_norm3d", 3, sizeof(double), &of_three<double, norm3>},
    {"__nv_norm3df", 3, sizeof(float), &of_three<float, norm3>},
    {"__nv_norm4d", 4, sizeof(double), &of_four<double, norm4>},
    {"__nv_norm4df", 4, sizeof(float), &of_four<float, norm4>},
    {"__nv_rnorm3d", 3, sizeof(double), &of_three<double, inverse_norm3>},
    {"__nv_rnorm3df", 3, sizeof(float), &of_three<float, inverse_norm3>},
    {"__nv_rnorm4d", 4, sizeof(double), &of_four<double, inverse_norm4>},
    {"__nv_rnorm4df", 4, sizeof(float), &of_four<float, inverse_norm4>},
    {"__nv_ilogb", 1, sizeof(double), &exponent_of<double>},
    {"__nv_ilogbf", 1, sizeof(float), &exponent_of<float>},
    {"__nv_fdim", 2, sizeof(double), &positive_difference<double>},
    {"__nv_fdimf", 2, sizeof(float), &positive_difference<float>},
    {"__nv_nextafter", 2, sizeof(double), &next_after<double>},
    {"__nv_nextafterf", 2, sizeof(float), &next_after<float>},
};
#undef VGPU_MATH

}  // namespace

std::pair<const MathFunction*, const MathFunction*> math_functions() {
  return {std::begin(kFunctions), std::end(kFunctions)};
}

const MathFunction* math_function_named(std::string_view name) {
  const auto [begin, end] = math_functions();
  const auto* const found =
      std::find_if(begin, end, [&](const MathFunction& function) { return function.name == name; });
  return found == end ? nullptr : found;
}

}  // namespace vgpu
