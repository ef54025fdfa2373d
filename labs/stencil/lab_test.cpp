// The integers of the lab stencil, and both stencils.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "labs/stencil/test_arrays.h"

namespace lanewise::stencil_test {
namespace {

TEST(StencilMake, GivesArraysTheirShapes) {
  const Problem filter = made("convolve", picture("integers", 5, 3, 2));
  ASSERT_EQ(filter.inputs.size(), 2u);
  EXPECT_EQ(filter.inputs[0].shape, (std::vector<std::int64_t>{3, 5}));
  EXPECT_EQ(filter.inputs[1].shape, (std::vector<std::int64_t>{5, 5}));
  EXPECT_EQ(filter.outputs.at(0).shape, (std::vector<std::int64_t>{3, 5}));
  const Problem stencil = made("seven_point", grid("integers", 5, 3, 2));
  EXPECT_EQ(stencil.inputs.at(0).shape, (std::vector<std::int64_t>{2, 3, 5}));
  EXPECT_EQ(stencil.outputs.at(0).shape, (std::vector<std::int64_t>{2, 3, 5}));
}

// Integers of both signs that fill their range and stay in it.
void expect_integers(const Numbers& values, float most) {
  for (const float value : values) {
    EXPECT_EQ(value, std::trunc(value));
    EXPECT_LE(std::abs(value), most);
  }
  EXPECT_LT(*std::min_element(values.begin(), values.end()), -0.8f * most);
  EXPECT_GT(*std::max_element(values.begin(), values.end()), 0.8f * most);
}

TEST(StencilMake, IntegersKeepTheContract) {
  const Problem filter = made("convolve", picture("integers", 100, 77, 7));
  expect_integers(numbers_of(filter.inputs[0]), 4095);
  expect_integers(numbers_of(filter.inputs[1]), 15);
  expect_integers(numbers_of(made("seven_point", grid("integers", 20, 30, 7)).inputs[0]), 1 << 20);
}

// The bound that the contract states: a float holds every integer below 2^24.
TEST(StencilMake, TheLargestSumIsExact) {
  const Numbers sums = right("convolve", made("convolve", picture("largest", 15, 15, 7)));
  EXPECT_EQ(*std::max_element(sums.begin(), sums.end()), 225 * 4095 * 15);
  EXPECT_LT(225 * 4095 * 15, 1 << 24);
}

TEST(StencilOracle, OfThePictureInTheHandout) {
  EXPECT_EQ(right("convolve", made("convolve", picture("counting", 4, 3, 1))),
            (Numbers{111, 178, 217, 145, 231, 348, 393, 252, 133, 190, 211, 127}));
}

TEST(StencilOracle, ADotShowsTheMaskTurned) {
  const Problem problem = made("convolve", picture("one_dot", 5, 5, 2));
  Numbers mask = numbers_of(problem.inputs[1]);
  std::reverse(mask.begin(), mask.end());
  EXPECT_EQ(right("convolve", problem), mask);
}

TEST(StencilOracle, ADotSpreadsToSixNeighbours) {
  const Numbers out = right("seven_point", made("seven_point", grid("one_dot", 5, 5, 5)));
  for (int i = 0; i < 125; ++i) {
    const int apart = std::abs(i % 5 - 2) + std::abs(i / 5 % 5 - 2) + std::abs(i / 25 - 2);
    EXPECT_EQ(out[static_cast<std::size_t>(i)], apart == 0 ? 2 : apart == 1 ? 1 : 0) << i;
  }
}

TEST(StencilOracle, TheBorderIsCopied) {
  const Problem problem = made("seven_point", grid("integers", 2, 9, 9));
  EXPECT_EQ(right("seven_point", problem), numbers_of(problem.inputs[0]));
}

TEST(StencilJudge, TakesANegativeZeroButNoOtherNumber) {
  const Problem problem = made("seven_point", grid("one_dot", 3, 3, 3));
  const auto expected = task("seven_point").oracle(problem);
  auto got = expected;
  elements<float>(got[0])[0] = -0.0f;
  EXPECT_TRUE(task("seven_point").judge(problem, expected, got).right);
  elements<float>(got[0])[0] = 0.125f;
  EXPECT_FALSE(task("seven_point").judge(problem, expected, got).right);
}

TEST(StencilWork, CountsTapsAndPoints) {
  EXPECT_EQ(task("convolve").work(made("convolve", picture("integers", 6, 5, 2))).flops, 2 * 25 * 30);
  EXPECT_EQ(task("seven_point").work(made("seven_point", grid("integers", 6, 5, 2))).bytes, 8 * 60);
}

}  // namespace
}  // namespace lanewise::stencil_test
