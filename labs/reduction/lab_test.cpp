// The arrays of the lab reduction, their sums and greatest elements, and how these are judged.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "labs/reduction/test_arrays.h"

namespace lanewise::reduction_test {
namespace {

TEST(ReductionMake, GivesOneArrayItsLengthAndOneResult) {
  for (const std::int64_t n : {0, 1, 33, 1000}) {
    const Problem sum = made("sum", with_function("eighths(1, 8)", n));
    ASSERT_EQ(sum.inputs.size(), 1u);
    EXPECT_EQ(sum.inputs[0].shape, std::vector<std::int64_t>{n});
    EXPECT_EQ(sum.inputs[0].dtype, DType::kFloat32);
    ASSERT_EQ(sum.outputs.size(), 1u);
    EXPECT_EQ(sum.outputs[0].shape, std::vector<std::int64_t>{1});
    EXPECT_EQ(sum.outputs[0].dtype, DType::kFloat32);
    const Problem search = made("arg_max", with_function("equal_maxima(2)", n));
    EXPECT_EQ(search.inputs[0].dtype, DType::kInt32);
    EXPECT_EQ(search.outputs[0].dtype, DType::kInt64);
    EXPECT_EQ(search.space, Space::kDevice);
  }
}

TEST(ReductionMake, EighthsFillTheirRangeAndNothingElse) {
  const Floats x = floats_of(made("sum", with_function("eighths(-3, 80)", 20'000)).inputs[0]);
  for (const float each : x) EXPECT_EQ(each * 8, std::round(each * 8));
  EXPECT_EQ(*std::min_element(x.begin(), x.end()), -0.375f);
  EXPECT_EQ(*std::max_element(x.begin(), x.end()), 10.0f);
}

TEST(ReductionMake, SparseArraysAreMostlyZeros) {
  const Floats x = floats_of(made("sum", with_function("sparse", 320'000)).inputs[0]);
  const auto count = [&x](float value) { return static_cast<double>(std::count(x.begin(), x.end(), value)); };
  EXPECT_NEAR(count(1), 5'000, 350);  // five standard deviations
  EXPECT_NEAR(count(2), 5'000, 350);
  EXPECT_EQ(count(0) + count(1) + count(2), 320'000);
}

TEST(ReductionMake, EqualMaximaAreSeveral) {
  const Integers x = integers_of(made("arg_max", with_function("equal_maxima(5)", 10'000)).inputs[0]);
  EXPECT_EQ(*std::max_element(x.begin(), x.end()), 1000);
  EXPECT_GT(std::count(x.begin(), x.end(), 1000), 1);
  EXPECT_LE(std::count(x.begin(), x.end(), 1000), 5);
}

TEST(ReductionMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(made("sum", with_function("eighths(2, 1)", 5)), std::invalid_argument);
  EXPECT_THROW(made("sum", with_function("eighths(1, 80)", 1'000'000)), std::invalid_argument);
}

TEST(ReductionOracle, AddsAndFindsByHand) {
  EXPECT_EQ(right_sum({}), 0);
  EXPECT_EQ(right_sum({0.5f, -2, 8}), 6.5f);
  EXPECT_EQ(right_index({}), -1);
  EXPECT_EQ(right_index({std::numeric_limits<std::int32_t>::min()}), 0);
  EXPECT_EQ(right_index({-7, -3, -5, -3}), 1) << "the first of equals";
  EXPECT_EQ(right_index({1, 2, 3}), 2);
}

// Sums of eighths are exact, so they have no excuse; a sum of real numbers may be off by its roundings.
TEST(ReductionJudge, AllowsForRoundingOnlyWhereThereIsSome) {
  const Task& task = task_called("sum");
  for (const bool is_exact : {true, false}) {
    Parameters real;
    real.set("n", std::int64_t{4099});
    real.set("low", 0.0);
    real.set("high", 1.0);
    const Problem problem = made("sum", is_exact ? with_function("eighths(1, 80)", 4099) : real);
    const auto expected = task.oracle(problem);
    EXPECT_TRUE(task.judge(problem, expected, expected).right);
    auto got = expected;
    float& sum = *elements<float>(got[0]);
    sum = std::nextafter(sum, 0.0f);
    EXPECT_EQ(task.judge(problem, expected, got).right, !is_exact);
    sum -= 10;
    EXPECT_FALSE(task.judge(problem, expected, got).right);
  }
}

TEST(ReductionJudge, AllowsNoOtherIndex) {
  const Task& task = task_called("arg_max");
  const Problem problem = problem_of(Integers{5, 1, 5});
  const auto expected = task.oracle(problem);
  auto got = expected;
  *elements<std::int64_t>(got[0]) = 2;
  EXPECT_FALSE(task.judge(problem, expected, got).right);
}

TEST(ReductionWork, IsFourBytesAnElement) {
  const Work work = task_called("sum").work(made("sum", with_function("eighths(1, 8)", 1000)));
  EXPECT_EQ(work.bytes, 4004);
  EXPECT_EQ(work.flops, 1000);
}

}  // namespace
}  // namespace lanewise::reduction_test
