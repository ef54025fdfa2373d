// Every function of device_math.h against a reference of 113 bits, with the errors that the CUDA C++ Programming Guide
// allows ("Mathematical Functions"), in units in the last place.
#include "harness/vgpu/machine/device_math.h"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"

#if __has_include(<quadmath.h>)  // GCC's, on some processors
#include <quadmath.h>

namespace vgpu::test {
namespace {

__extension__ using Quad = __float128;

// --- references that libquadmath has not ---

Quad pi() { return acosq(-1); }
Quad exp10_reference(Quad x) { return powq(10, x); }
Quad sinpi_reference(Quad x) {
  const Quad turns = remainderq(x, 2);
  return sinq(pi() * (fabsq(turns) > Quad{1} / 2 ? copysignq(1, turns) - turns : turns));
}
Quad cospi_reference(Quad x) { return sinq(pi() * (Quad{1} / 2 - fabsq(remainderq(x, 2)))); }
Quad rcbrt_reference(Quad x) { return 1 / cbrtq(x); }
Quad erfcx_reference(Quad x) { return expq(x * x) * erfcq(x); }
Quad normcdf_reference(Quad x) { return erfcq(-x / sqrtq(2)) / 2; }
/// Newton's method, from what long double comes to.
Quad erfcinv_reference(Quad y) {
  Quad z = y < 1 ? sqrtq(-logq(y)) : 1 - y;
  for (int i = 0; i < 60; ++i) {
    const Quad slope = -2 / sqrtq(pi()) * expq(-z * z), step = (erfcq(z) - y) / slope;
    z -= y < Quad{1} / 4 ? step / (1 + z * step) : step;  // in the tail by Halley's method
  }
  return z;
}
Quad erfinv_reference(Quad x) {
  Quad z = x * sqrtq(pi()) / 2;
  if (fabsq(x) > Quad{1} / 2) return x > 0 ? erfcinv_reference(1 - x) : -erfcinv_reference(1 + x);
  for (int i = 0; i < 10; ++i) z -= (erfq(z) - x) / (2 / sqrtq(pi()) * expq(-z * z));
  return z;
}
Quad normcdfinv_reference(Quad p) {
  return p < Quad{1} / 2 ? -sqrtq(2) * erfcinv_reference(2 * p) : sqrtq(2) * erfcinv_reference(2 * (1 - p));
}
Quad bessel(int order, Quad x) {
  Quad term = order == 0 ? Quad{1} : x / 2, sum = term;
  for (int k = 1; k < 2000; ++k) sum += term *= x * x / 4 / k / (k + order);
  return sum;
}
Quad i0_reference(Quad x) { return bessel(0, x); }
Quad i1_reference(Quad x) { return bessel(1, x); }
Quad j3_reference(Quad x) { return jnq(3, x); }

struct Function {
  const char* name;
  Quad (*reference)(Quad);
  double low, high;  ///< where it is asked
  double float_error, double_error;
};
const Function kFunctions[] = {
    {"acos", acosq, -1, 1, 2, 2},
    {"acosh", acoshq, 1, 1e6, 4, 3},
    {"asin", asinq, -1, 1, 2, 2},
    {"asinh", asinhq, -1e6, 1e6, 3, 3},
    {"atan", atanq, -1e3, 1e3, 2, 2},
    {"atanh", atanhq, -1, 1, 3, 2},
    {"cbrt", cbrtq, -1e6, 1e6, 1, 1},
    {"cos", cosq, -1e5, 1e5, 2, 2},
    {"cosh", coshq, -88, 88, 2, 1},
    {"cospi", cospi_reference, -1e3, 1e3, 1, 2},
    {"cyl_bessel_i0", i0_reference, -80, 80, 6, 6},
    {"cyl_bessel_i1", i1_reference, -80, 80, 6, 6},
    {"erf", erfq, -6, 6, 2, 2},
    {"erfc", erfcq, -6, 9, 4, 5},
    {"erfcinv", erfcinv_reference, 0, 2, 4, 6},
    {"erfcx", erfcx_reference, -5, 100, 4, 4},
    {"erfinv", erfinv_reference, -1, 1, 2, 5},
    {"exp", expq, -87, 88, 1, 1},
    {"exp10", exp10_reference, -37, 38, 2, 1},
    {"exp2", exp2q, -126, 127, 2, 1},
    {"expm1", expm1q, -20, 88, 1, 1},
    {"j0", j0q, -8, 8, 9, 7},
    {"j1", j1q, -8, 8, 9, 7},
    {"lgamma", lgammaq, 0.01, 1e6, 6, 4},
    {"log", logq, 0, 1e6, 1, 1},
    {"log10", log10q, 0, 1e6, 2, 1},
    {"log1p", log1pq, -1, 1e6, 1, 1},
    {"log2", log2q, 0, 1e6, 1, 1},
    {"normcdf", normcdf_reference, -14, 9, 5, 5},
    {"normcdfinv", normcdfinv_reference, 0, 1, 5, 8},
    {"rcbrt", rcbrt_reference, -1e6, 1e6, 1, 1},
    {"sin", sinq, -1e5, 1e5, 2, 2},
    {"sinh", sinhq, -88, 88, 3, 2},
    {"sinpi", sinpi_reference, -1e3, 1e3, 1, 2},
    {"tan", tanq, -1e5, 1e5, 4, 2},
    {"tanh", tanhq, -20, 20, 2, 1},
    {"tgamma", tgammaq, -10, 34, 5, 10},
    {"y0", y0q, 0.1, 8, 9, 7},
    {"y1", y1q, 0.1, 8, 9, 7},
};

template <class T>
T computed(const std::string& name, const std::vector<T>& inputs) {
  const MathFunction* const function = math_function_named("__nv_" + name + (sizeof(T) == sizeof(float) ? "f" : ""));
  if (function == nullptr) return std::numeric_limits<T>::quiet_NaN();
  const std::byte* arguments[4];
  for (std::size_t n = 0; n < inputs.size(); ++n) arguments[n] = reinterpret_cast<const std::byte*>(&inputs[n]);
  T result;
  function->run(arguments, reinterpret_cast<std::byte*>(&result));
  return result;
}

/// How far off `got` is, in units of the last place that a T has there.
template <class T>
double error_of(T got, Quad expected) {
  const T nearest = static_cast<T>(expected);
  if (got == nearest || (std::isnan(got) && std::isnan(nearest))) return 0;
  if (!std::isfinite(got) || !std::isfinite(nearest)) return std::numeric_limits<double>::infinity();
  const T size = std::fabs(nearest);
  const Quad unit = static_cast<Quad>(std::nextafter(size, std::numeric_limits<T>::infinity())) - size;
  return static_cast<double>(fabsq(got - expected) / unit);
}

/// Numbers all over a range, half of them near its middle or its lower end.
template <class T>
std::vector<T> samples(double low, double high) {
  std::vector<T> found;
  const double from = low < 0 ? 0 : low;
  for (int i = 1; i < 1000; ++i) {
    found.push_back(static_cast<T>(low + (high - low) * i / 1000.0));
    found.push_back(static_cast<T>(from + (high - from) * std::exp2(-i / 40.0)));
    if (low < 0) found.push_back(static_cast<T>(low * std::exp2(-i / 40.0)));
  }
  return found;
}

template <class T>
void check_errors(const Function& function, double allowed) {
  double worst = 0;
  T where = 0;
  for (const T x : samples<T>(function.low, function.high)) {
    if (!(x > function.low && x < function.high)) continue;
    const double error = error_of(computed<T>(function.name, {x}), function.reference(x));
    if (error > worst) worst = error, where = x;
  }
  EXPECT_LE(worst, allowed) << function.name << " of " << where << (sizeof(T) == 4 ? ", float" : ", double");
}

TEST(DeviceMath, IsAsExactAsTheGuideSays) {
  for (const Function& function : kFunctions) {
    check_errors<float>(function, function.float_error);
    check_errors<double>(function, function.double_error);
  }
}

TEST(DeviceMath, IsExactOfSeveralNumbersToo) {
  for (const double x : {0.3, -2.75, 1e-300, 1e300, 5e-324, 123456.789})
    for (const double y : {1.5, -0.004, 3e-300, 7e299, 1.0 / 3}) {
      EXPECT_LE(error_of(computed<double>("hypot", {x, y}), hypotq(x, y)), 2) << x << ' ' << y;
      EXPECT_LE(error_of(computed<double>("rhypot", {x, y}), 1 / hypotq(x, y)), 1) << x << ' ' << y;
      EXPECT_LE(error_of(computed<double>("atan2", {x, y}), atan2q(x, y)), 2) << x << ' ' << y;
      EXPECT_LE(error_of(computed<double>("pow", {std::fabs(x), y}), powq(fabsq(x), y)), 2) << x << ' ' << y;
      EXPECT_EQ(computed<double>("fmod", {x, y}), std::fmod(x, y));
      EXPECT_EQ(computed<double>("remainder", {x, y}), std::remainder(x, y));
      EXPECT_EQ(computed<double>("nextafter", {x, y}), std::nextafter(x, y));
      EXPECT_EQ(computed<double>("fdim", {x, y}), std::fdim(x, y));
      const Quad z = 2.5, length = sqrtq(Quad{x} * x + Quad{y} * y + z * z), longer = sqrtq(length * length + 9);
      EXPECT_LE(error_of(computed<double>("norm3d", {x, y, 2.5}), length), 2);
      EXPECT_LE(error_of(computed<double>("norm4d", {x, y, 2.5, -3.0}), longer), 2);
      EXPECT_LE(error_of(computed<double>("rnorm3d", {x, y, 2.5}), 1 / length), 1);
      EXPECT_LE(error_of(computed<double>("rnorm4d", {x, y, 2.5, -3.0}), 1 / longer), 1);
    }
}

TEST(DeviceMath, KnowsTheEndsOfTheRange) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (const Function& function : kFunctions) {
    EXPECT_TRUE(std::isnan(computed<double>(function.name, {nan}))) << function.name;
    EXPECT_TRUE(std::isnan(computed<float>(function.name, {std::numeric_limits<float>::quiet_NaN()}))) << function.name;
  }
  EXPECT_EQ(computed<double>("erfinv", {1}), infinity);
  EXPECT_EQ(computed<double>("erfinv", {-1}), -infinity);
  EXPECT_TRUE(std::isnan(computed<double>("erfinv", {1.5})));
  EXPECT_EQ(computed<double>("erfcinv", {0}), infinity);
  EXPECT_EQ(computed<double>("erfcinv", {2}), -infinity);
  EXPECT_EQ(computed<double>("normcdfinv", {0}), -infinity);
  EXPECT_EQ(computed<double>("normcdfinv", {1}), infinity);
  EXPECT_EQ(computed<double>("erfcx", {infinity}), 0);
  EXPECT_EQ(computed<double>("erfcx", {-infinity}), infinity);
  EXPECT_EQ(computed<double>("cyl_bessel_i0", {1000}), infinity);
  EXPECT_EQ(computed<double>("cyl_bessel_i1", {-1000}), -infinity);
  EXPECT_EQ(computed<double>("hypot", {infinity, nan}), infinity);
  EXPECT_TRUE(std::isnan(computed<double>("sinpi", {infinity})));
  EXPECT_EQ(computed<double>("sinpi", {3}), 0);
  EXPECT_EQ(computed<double>("cospi", {2.5}), 0);
  EXPECT_EQ(computed<double>("cospi", {3}), -1);
}

TEST(DeviceMath, TakesAndGivesInts) {
  const auto with_int = [](const char* name, double x, int n) {
    const std::byte* const arguments[] = {reinterpret_cast<const std::byte*>(&x),
                                          reinterpret_cast<const std::byte*>(&n)};
    double result;
    math_function_named(name)->run(arguments, reinterpret_cast<std::byte*>(&result));
    return result;
  };
  EXPECT_EQ(with_int("__nv_ldexp", 3, 4), 48);
  EXPECT_EQ(with_int("__nv_scalbn", 3, -1), 1.5);
  EXPECT_EQ(with_int("__nv_powi", 3, 4), 81);
  const auto exponent = [](double x) {
    const std::byte* const argument = reinterpret_cast<const std::byte*>(&x);
    int result;
    math_function_named("__nv_ilogb")->run(&argument, reinterpret_cast<std::byte*>(&result));
    return result;
  };
  EXPECT_EQ(exponent(10), 3);
  EXPECT_EQ(exponent(0), INT_MIN);
  EXPECT_EQ(exponent(std::numeric_limits<double>::infinity()), INT_MAX);
  const int order = 3;
  const double x = 2.5;
  const std::byte* const arguments[] = {reinterpret_cast<const std::byte*>(&order),
                                        reinterpret_cast<const std::byte*>(&x)};
  double result;
  math_function_named("__nv_jn")->run(arguments, reinterpret_cast<std::byte*>(&result));
  EXPECT_LE(error_of(result, j3_reference(x)), 7);
}

TEST(DeviceMath, IsThereForKernels) {
  Program program;
  program.ptx = kernel_with(1,
                            "{\n.param .b32 a;\n.param .b32 r;\ncvt.rn.f32.u32 %r2, %r0;\nst.param.b32 [a], %r2;\n"
                            "call.uni (r), __nv_cbrtf, (a);\nld.param.b32 %r5, [r];\n}\n"
                            "mul.wide.u32 %rd9, %r0, 4;\nadd.u64 %rd9, %rd9, %rd0;\nst.global.u32 [%rd9], %r5;\n",
                            ".extern .func (.param .b32 r) __nv_cbrtf(.param .b32 a);\n");
  const std::vector<Bytes> buffers = run_cleanly(program, {Bytes(32 * sizeof(float))});
  float roots[32];
  std::memcpy(roots, buffers[0].data(), sizeof roots);
  for (int t = 0; t < 32; ++t) EXPECT_EQ(roots[t], static_cast<float>(std::cbrt(static_cast<double>(t))));
}

TEST(DeviceMath, IsRefusedWithOtherArguments) {
  Program program;
  program.ptx = kernel_with(1, "{\n.param .b32 r;\ncall.uni (r), __nv_cbrtf;\n}\n",
                            ".extern .func (.param .b32 r) __nv_cbrtf;\n");
  EXPECT_NE(run(program, {Bytes(4)}).refusal.find("__nv_cbrtf"), std::string::npos);
}

}  // namespace
}  // namespace vgpu::test
#endif
