// The bodies of the lab nbody, what is right for them, and the judge.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>

#include "labs/nbody/test_bodies.h"

namespace lanewise::nbody_test {
namespace {

constexpr const char* kKinds[] = {"line", "uniform", "plane", "pairs", "far", "scaled", "rounding"};

float divided(float mass, float r2) { return mass / (r2 * std::sqrt(r2)); }

// What rsqrtf may give: 2 units in the last place too much.
float with_rsqrt(float mass, float r2) {
  float inverse = 1 / std::sqrt(r2);
  for (int ulp = 0; ulp < 2; ++ulp) inverse = std::nextafter(inverse, std::numeric_limits<float>::infinity());
  return mass * inverse * (inverse * inverse);
}

// Rounded to 11 significant bits, as half precision has.
float to_half(float x) {
  int exponent = 0;
  const float fraction = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(fraction * 2048), exponent - 11);
}

TEST(NbodyMake, GivesArraysOfTheirShapes) {
  const Problem problem = part("uniform", 10, 3, 5);
  ASSERT_EQ(problem.inputs.size(), 1u);
  EXPECT_EQ(problem.inputs[0].shape, (std::vector<std::int64_t>{10, 4}));
  EXPECT_EQ(problem.outputs.at(0).shape, (std::vector<std::int64_t>{5, 3}));
  const Problem all = bodies("uniform", 10, 0.5);
  EXPECT_EQ(integer_scalar(all, "first"), 0);
  EXPECT_EQ(integer_scalar(all, "count"), 10);
}

TEST(NbodyMake, KindsAreWhatTheySay) {
  EXPECT_EQ(values(bodies("line", 2, 4).inputs[0]), (std::vector<float>{0, 0, 0, 125, 3, 0, 0, 250}));
  const auto plane = values(bodies("plane", 50, 1).inputs[0]);
  const auto pairs = values(bodies("pairs", 50, 1).inputs[0]);
  const auto far = values(bodies("far", 50, 1).inputs[0]);
  const auto scaled = values(bodies("scaled", 200, 1).inputs[0]);
  const auto rounding = values(bodies("rounding", 50, 1).inputs[0]);
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(plane[4 * i + 2], 2);
    EXPECT_LT(std::abs(far[4 * i + 1] - 1000), 4.01F);
    EXPECT_LT(to_half(rounding[4 * i + 3]), rounding[4 * i + 3]);
    if (i % 32 != 0) {
      EXPECT_GE(rounding[4 * i], 4);
    }
  }
  for (std::size_t i = 0; i < 25; ++i)
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_EQ(pairs[4 * i + axis], pairs[4 * (i + 25) + axis]);
  std::set<int> exponents;
  int without_mass = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const float mass = scaled[4 * i + 3];
    without_mass += mass == 0 ? 1 : 0;
    if (mass > 0) exponents.insert(std::ilogb(mass));
  }
  EXPECT_GT(without_mass, 20);
  EXPECT_GT(exponents.size(), 15U);
}

TEST(NbodyMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(bodies("uniform", -1, 1), std::invalid_argument);
  EXPECT_THROW(bodies("uniform", 5, 0), std::invalid_argument);
  EXPECT_THROW(bodies("uniform", 5, 0.1), std::invalid_argument) << "not a float";
  EXPECT_THROW(bodies("uniform", 5, 1, 2000), std::invalid_argument);
  EXPECT_THROW(bodies("odd", 5, 1), std::invalid_argument);
  EXPECT_THROW(part("uniform", 5, 3, 3), std::invalid_argument);
  EXPECT_THROW(part("uniform", 5, -1, 3), std::invalid_argument);
}

TEST(NbodyOracle, ByHand) { EXPECT_EQ(right(bodies("line", 2, 4)), (std::vector<float>{6, 0, 0, -3, 0, 0})); }

TEST(NbodyOracle, OfNothingIsNothing) {
  EXPECT_TRUE(right(bodies("uniform", 0, 1)).empty());
  EXPECT_TRUE(right(part("uniform", 5, 5, 0)).empty());
  EXPECT_EQ(right(bodies("uniform", 1, 1)), (std::vector<float>{0, 0, 0}));
}

TEST(NbodyOracle, APartIsAPartOfTheWhole) {
  const auto whole = right(part("scaled", 1500, 0, 1500));  // enough for several threads
  EXPECT_EQ(right(part("scaled", 1500, 700, 9)), std::vector<float>(whole.begin() + 2100, whole.begin() + 2127));
}

TEST(NbodyOracle, ForcesAddUpToNothing) {
  const Problem problem = bodies("scaled", 300, 0.25);
  const auto all = values(problem.inputs[0]);
  const auto a = right(problem);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double sum = 0, magnitudes = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      const double force = static_cast<double>(all[4 * i + 3]) * a[3 * i + axis];
      sum += force;
      magnitudes += std::abs(force);
    }
    EXPECT_LT(std::abs(sum), 1e-6 * magnitudes);
  }
}

TEST(NbodyJudge, TakesSumsInFloatInAnyOrder) {
  for (const char* kind : kKinds)
    for (const std::int64_t n : {1, 2, 40, 1500}) {
      const Problem problem = bodies(kind, n, 0.125);
      EXPECT_TRUE(judged(problem, in_float(problem, &divided)).right) << kind << " " << n;
      EXPECT_TRUE(judged(problem, in_float(problem, &divided, true)).right) << kind << " " << n;
      EXPECT_TRUE(judged(problem, in_float(problem, &with_rsqrt)).right) << kind << " " << n;
    }
}

TEST(NbodyJudge, TakesNoHalfPrecision) {
  for (const std::int64_t n : {3, 97, 640}) {
    const Problem problem = bodies("rounding", n, 0.125, 2);
    const auto in_half = [](float mass, float r2) { return divided(to_half(mass), r2); };
    EXPECT_FALSE(judged(problem, in_float(problem, in_half)).right) << n;
  }
}

TEST(NbodyJudge, SeesWhatIsSmallBesideOtherComponents) {
  const Problem problem = bodies("plane", 60, 0.125);
  auto got = right(problem);
  got[2] = 1e-6F;  // the z component of body 0 is 0
  EXPECT_EQ(judged(problem, got).wrong, 1);
}

TEST(NbodyJudge, TakesNoNan) {
  const Problem problem = bodies("uniform", 20, 0.125);
  auto got = right(problem);
  got[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(judged(problem, got).wrong, 1);
}

TEST(NbodyWork, CountsTwentyForAnInteraction) {
  const Work work = task().work(part("uniform", 100, 10, 30));
  EXPECT_EQ(work.flops, 20 * 100 * 30);
  EXPECT_EQ(work.bytes, 100 * 16 + 30 * 12);
}

}  // namespace
}  // namespace lanewise::nbody_test
