// Calls of device_math.h at the ends of domains, where the CUDA Math API names the results; with ints; and by kernels.
#include "harness/vgpu/machine/device_math.h"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class Result, class... Arguments>
Result result_of(const std::string& name, Arguments... arguments) {
  const MathFunction* const function = math_function_named(name);
  if (function == nullptr || function->arguments != sizeof...(Arguments)) {
    ADD_FAILURE() << "no " << name << " of " << sizeof...(Arguments);
    return Result();
  }
  const std::byte* const places[] = {reinterpret_cast<const std::byte*>(&arguments)...};
  Result result;
  function->run(places, reinterpret_cast<std::byte*>(&result));
  return result;
}

/// Whether it is the same number, zero with its sign, or NaN in both places.
void expect_same(double got, double expected, const std::string& what) {
  const bool is_same =
      std::isnan(expected) ? std::isnan(got) : got == expected && std::signbit(got) == std::signbit(expected);
  EXPECT_TRUE(is_same) << what << " is " << got << " instead of " << expected;
}

// What the C standard says as well, device_math_errors_test.cpp asks for.
TEST(DeviceMath, IsWhatTheApiSaysAtTheEndsOfADomain) {
  const std::map<std::string, std::vector<std::pair<double, double>>> results = {
      {"cospi", {{0.5, 0}, {3, -1}, {kInfinity, kNan}}},
      {"cyl_bessel_i0", {{0, 1}, {-kInfinity, kInfinity}, {1000, kInfinity}}},
      {"cyl_bessel_i1", {{-0.0, -0.0}, {-kInfinity, -kInfinity}, {-1000, -kInfinity}}},
      {"erfcinv", {{-0.0, kInfinity}, {1, 0}, {2, -kInfinity}, {2.5, kNan}, {-1, kNan}}},
      {"erfcx", {{-kInfinity, kInfinity}, {kInfinity, 0}}},
      {"erfinv", {{-0.0, -0.0}, {1, kInfinity}, {-1, -kInfinity}, {1.5, kNan}}},
      {"exp10", {{-0.0, 1}, {-kInfinity, 0}}},
      {"j0", {{-kInfinity, 0}}},
      {"j1", {{-0.0, -0.0}, {-kInfinity, -0.0}}},
      {"lgamma", {{1, 0}, {2, 0}, {-3, kInfinity}, {-kInfinity, kInfinity}}},
      {"normcdf", {{-kInfinity, 0}, {kInfinity, 1}}},
      {"normcdfinv", {{-0.0, -kInfinity}, {1, kInfinity}, {1.5, kNan}, {-1, kNan}}},
      {"rcbrt", {{-0.0, -kInfinity}, {-kInfinity, -0.0}}},
      {"sinpi", {{-0.0, -0.0}, {3, 0}, {1e30, 0}, {kInfinity, kNan}}},
      {"tgamma", {{-0.0, -kInfinity}, {-3, kNan}, {-kInfinity, kNan}}},
      {"y0", {{-0.0, -kInfinity}, {-1, kNan}, {kInfinity, 0}}},
      {"y1", {{0, -kInfinity}, {-kInfinity, kNan}}},
  };
  for (const auto& [function, rows] : results)
    for (const auto& [argument, result] : rows) {
      const std::string name = "__nv_" + function, of = " of " + std::to_string(argument);
      expect_same(result_of<double>(name, argument), result, name + of);
      expect_same(result_of<float>(name + "f", static_cast<float>(argument)), result, name + "f" + of);
    }
  expect_same(result_of<double>("__nv_hypot", kNan, -kInfinity), kInfinity, "hypot");
  expect_same(result_of<double>("__nv_rhypot", kInfinity, kNan), 0, "rhypot");
  expect_same(result_of<double>("__nv_norm3d", kNan, 1.0, -kInfinity), kInfinity, "norm3d");
  expect_same(result_of<float>("__nv_rnorm4df", 0.0F, 0.0F, -0.0F, 0.0F), kInfinity, "rnorm4df");
}

TEST(DeviceMath, TakesAndGivesInts) {
  EXPECT_EQ(result_of<double>("__nv_ldexp", 3.0, 4), 48);
  EXPECT_EQ(result_of<float>("__nv_ldexpf", 1.0F, INT_MAX), kInfinity);
  EXPECT_EQ(result_of<double>("__nv_scalbn", 3.0, -1), 1.5);
  EXPECT_EQ(result_of<double>("__nv_scalbn", -1.0, INT_MIN), 0);
  EXPECT_EQ(result_of<double>("__nv_powi", 3.0, 4), 81);
  EXPECT_EQ(result_of<double>("__nv_powi", -2.0, INT_MIN), 0);
  EXPECT_EQ(result_of<int>("__nv_ilogb", 10.0), 3);
  EXPECT_EQ(result_of<int>("__nv_ilogb", 0.0), INT_MIN);
  EXPECT_EQ(result_of<int>("__nv_ilogb", kNan), INT_MIN);
  EXPECT_EQ(result_of<int>("__nv_ilogbf", -std::numeric_limits<float>::infinity()), INT_MAX);
  EXPECT_TRUE(std::isnan(result_of<double>("__nv_jn", -1, 2.5)));
  EXPECT_TRUE(std::isnan(result_of<float>("__nv_ynf", -1, 2.5F)));
  EXPECT_EQ(result_of<double>("__nv_jn", 3, kInfinity), 0);
  EXPECT_EQ(result_of<double>("__nv_yn", 3, 0.0), -kInfinity);
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
