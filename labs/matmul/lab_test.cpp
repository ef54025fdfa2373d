// The matrices of the lab matmul, their products, and the judge.
#include "harness/lab/lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "labs/matmul/matrix.h"
#include "labs/matmul/test_matrices.h"

namespace lanewise::matmul_test {
namespace {

using labs::matmul_lab::Extents;
using labs::matmul_lab::product;

TEST(MatmulMake, GivesTwoFactorsAndTheShapeOfTheirProduct) {
  const Problem problem = made(shape("integers", 4, 5, 6));
  ASSERT_EQ(problem.inputs.size(), 2u);
  EXPECT_EQ(problem.inputs[0].name, "a");
  EXPECT_EQ(problem.inputs[0].shape, (std::vector<std::int64_t>{4, 6}));
  EXPECT_EQ(problem.inputs[1].name, "b");
  EXPECT_EQ(problem.inputs[1].shape, (std::vector<std::int64_t>{6, 5}));
  ASSERT_EQ(problem.outputs.size(), 1u);
  EXPECT_EQ(problem.outputs[0].name, "c");
  EXPECT_EQ(problem.outputs[0].shape, (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(problem.space, Space::kDevice);
  EXPECT_EQ(integer_scalar(problem, "m"), 4);
  EXPECT_EQ(integer_scalar(problem, "n"), 5);
  EXPECT_EQ(integer_scalar(problem, "k"), 6);
}

TEST(MatmulMake, KindsAreWhatTheySay) {
  EXPECT_EQ(values(made(shape("counting", 2, 1, 3)).inputs[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  for (const float x : values(made(shape("integers", 30, 30, 30)).inputs[0])) {
    EXPECT_EQ(x, std::trunc(x));
    EXPECT_LE(std::abs(x), 9);
  }
  const auto uniform = values(made(shape("uniform", 50, 1, 50)).inputs[0]);
  EXPECT_GT(*std::max_element(uniform.begin(), uniform.end()), 8.5f);
  EXPECT_LT(*std::min_element(uniform.begin(), uniform.end()), -8.5f);

  const Problem zeros = made(shape("zeros", 6, 6, 4));
  const auto c = product_of(zeros);
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i] == 0, i / 6 % 3 == 1 || i % 6 % 3 == 1) << i;

  const auto scaled = values(made(shape("scaled", 100, 1, 1)).inputs[0]);
  EXPECT_TRUE(std::any_of(scaled.begin(), scaled.end(), [](float x) { return std::abs(x) < 1.0e-4f; }));
  EXPECT_TRUE(std::any_of(scaled.begin(), scaled.end(), [](float x) { return std::abs(x) > 10.0f; }));
}

// Each loses between a quarter and a half of the last place that TF32 has, towards zero; and nothing cancels.
TEST(MatmulMake, RoundingMakesEveryMagnitudeSmallerAndNothingCancels) {
  const Problem problem = made(shape("rounding", 20, 20, 50));
  bool negative = false;
  bool positive = false;
  for (const Array& array : problem.inputs)
    for (const float x : values(array)) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, &x, sizeof(bits));
      EXPECT_GE(bits & 0x1FFFu, 0x0800u);
      EXPECT_LT(bits & 0x1FFFu, 0x1000u);
      EXPECT_LT(bits & 0xFFFFu, 0x8000u);
      EXPECT_GE(std::abs(x), 1.0f);
      EXPECT_LT(std::abs(x), 2.0f);
      negative |= x < 0;
      positive |= x > 0;
    }
  EXPECT_TRUE(negative && positive);
  for (const float c : product_of(problem)) EXPECT_GE(std::abs(c), 50.0f);
}

TEST(MatmulMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(made(shape("integers", -1, 5, 5)), std::invalid_argument);
  EXPECT_THROW(made(shape("integers", 5, 65'536, 5)), std::invalid_argument);
  EXPECT_THROW(made(shape("diagonal", 5, 5, 5)), std::invalid_argument);
}

TEST(MatmulOracle, ByHand) {
  EXPECT_EQ(product_of(made(shape("counting", 2, 4, 3))), (std::vector<float>{38, 44, 50, 56, 83, 98, 113, 128}));
}

TEST(MatmulOracle, OfNoProductsIsZeroAndOfNothingNothing) {
  EXPECT_EQ(product_of(made(shape("integers", 2, 3, 0))), std::vector<float>(6, 0.0f));
  EXPECT_TRUE(product_of(made(shape("integers", 0, 3, 4))).empty());
  EXPECT_TRUE(product_of(made(shape("integers", 3, 0, 4))).empty());
}

// Extents around those of its tiles (4 x 8), its blocks of rows (64) and of depth (512).
TEST(MatmulOracle, IsTheSumOfProductsWhateverTheShape) {
  for (const std::int64_t m : {1, 3, 4, 5, 63, 65})
    for (const std::int64_t n : {1, 7, 8, 9, 33})
      for (const std::int64_t k : {1, 2, 511, 513, 1030}) {
        const Problem problem = made(shape("integers", m, n, k));
        EXPECT_EQ(product_of(problem),
                  loop_over(problem, [](double sum, float a, float b) { return sum + static_cast<double>(a) * b; }))
            << m << " x " << n << " x " << k;
      }
}

TEST(MatmulOracle, TheNumberOfThreadsChangesNoBit) {
  const Extents extents{201, 203, 601};  // enough work for several threads
  const Problem problem = made(shape("uniform", extents.m, extents.n, extents.k));
  const float* a = elements<float>(problem.inputs[0]);
  const float* b = elements<float>(problem.inputs[1]);
  const auto alone = product(a, b, extents, 1);
  for (const unsigned threads : {2u, 3u, 5u}) EXPECT_EQ(product(a, b, extents, threads), alone) << threads;
}

class MatmulJudge : public testing::Test {
 protected:
  // Is the product right if element 0 is off by `units` of 2^-24 sqrt(k) times the sum of the products' magnitudes?
  static bool is_right(const Problem& problem, double units) {
    const auto expected = task().oracle(problem);
    auto got = expected;
    const Extents extents = labs::matmul_lab::extents_of(problem);
    double magnitude = 0;
    for (std::int64_t p = 0; p < extents.k; ++p)
      magnitude += std::abs(static_cast<double>(elements<float>(problem.inputs[0])[p]) *
                            elements<float>(problem.inputs[1])[p * extents.n]);
    float& element = elements<float>(got[0])[0];
    const double off = units * std::sqrt(static_cast<double>(extents.k)) * magnitude * std::ldexp(1.0, -24);
    element = static_cast<float>(element + off);
    return task().judge(problem, expected, got).right;
  }
};

TEST_F(MatmulJudge, AllowsSixteenTimesTheErrorOfAnAverageSum) {
  for (const char* kind : {"uniform", "scaled", "rounding"}) {
    const Problem problem = made(shape(kind, 5, 7, 100));
    for (const double units : {0.0, 15.5, -15.5}) EXPECT_TRUE(is_right(problem, units)) << kind << ' ' << units;
    for (const double units : {16.5, -16.5, 100.0}) EXPECT_FALSE(is_right(problem, units)) << kind << ' ' << units;
  }
}

TEST_F(MatmulJudge, HoldsOnToZeros) {
  const Problem problem = made(shape("zeros", 3, 3, 5));
  const auto expected = task().oracle(problem);
  auto got = expected;
  elements<float>(got[0])[4] = -0.0f;
  EXPECT_TRUE(task().judge(problem, expected, got).right);
  elements<float>(got[0])[4] = std::numeric_limits<float>::denorm_min();
  EXPECT_FALSE(task().judge(problem, expected, got).right);
}

TEST_F(MatmulJudge, NeverTakesNaNOrInfinity) {
  const Problem problem = made(shape("uniform", 3, 3, 5));
  const auto expected = task().oracle(problem);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto got = expected;
    elements<float>(got[0])[8] = bad;
    const Judgement judgement = task().judge(problem, expected, got);
    EXPECT_FALSE(judgement.right);
    EXPECT_EQ(judgement.wrong, 1);
  }
}

// What float arithmetic gives, in the worst order there is: one after the other.
TEST_F(MatmulJudge, TakesAPlainSumInFloat) {
  for (const char* kind : {"uniform", "scaled", "rounding", "zeros"})
    for (const std::int64_t k : {1, 31, 1000, 20'000}) {
      const Problem problem = made(shape(kind, 5, 6, k));
      const auto expected = task().oracle(problem);
      auto got = expected;
      const auto sums = loop_over(problem, [](float sum, float a, float b) { return static_cast<float>(sum + a * b); });
      std::copy(sums.begin(), sums.end(), elements<float>(got[0]));
      EXPECT_TRUE(task().judge(problem, expected, got).right) << kind << ' ' << k;
    }
}

// With the kind "rounding" also for the longest sums that the lab asks for, and for every single element.
TEST_F(MatmulJudge, RejectsFactorsOfReducedPrecisionWhereverBitsCount) {
  for (const std::int64_t k : {1, 50, 4096, 60'000}) {
    const Problem problem = made(shape("rounding", 3, 5, k));
    const auto expected = task().oracle(problem);
    for (const char* mistake : {"factors rounded to TF32", "factors rounded to half", "factors rounded to bfloat16"}) {
      auto got = expected;
      const auto wrong = outcome(mistake, problem);
      std::copy(wrong.begin(), wrong.end(), elements<float>(got[0]));
      const Judgement judgement = task().judge(problem, expected, got);
      EXPECT_EQ(judgement.wrong, k > 1 ? 15 : judgement.wrong) << mistake << ' ' << k;
      EXPECT_FALSE(judgement.right) << mistake << ' ' << k;
    }
  }
}

TEST(MatmulWork, CountsEveryByteOnceAndTwoFlopsAProduct) {
  const Work work = task().work(made(shape("uniform", 10, 20, 30)));
  EXPECT_EQ(work.bytes, 4 * (10 * 30 + 30 * 20 + 10 * 20));
  EXPECT_EQ(work.flops, 2 * 10 * 20 * 30);
}

}  // namespace
}  // namespace lanewise::matmul_test
