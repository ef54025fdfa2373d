// The vectors of the lab vecadd, their sums, and what each mistake makes of them.
#include "labs/labs_of_the_tree_test.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace lanewise::vecadd_test {
namespace {

const Task& task(const std::string& name) {
  static const Lab kLab = lab_of_the_tree("vecadd");
  return *find_task(kLab, name);
}

Parameters uniform(std::int64_t n, double low = -1, double high = 1) {
  Parameters parameters;
  parameters.set("n", n);
  parameters.set("low", low);
  parameters.set("high", high);
  return parameters;
}

Problem made(const std::string& name, const Parameters& parameters, std::uint64_t seed = 3) {
  return std::get<Problem>(task(name).make(parameters, seed));
}

std::vector<float> values(const Array& array) {
  const float* first = elements<float>(array);
  return {first, first + element_count(array)};
}

// A problem with the given vectors.
Problem problem_of(const std::vector<float>& a, const std::vector<float>& b) {
  const auto n = static_cast<std::int64_t>(a.size());
  Problem problem = made("vec_add_device", uniform(n));
  std::copy(a.begin(), a.end(), elements<float>(problem.inputs[0]));
  std::copy(b.begin(), b.end(), elements<float>(problem.inputs[1]));
  return problem;
}

std::vector<float> outcome(const std::string& name, const std::string& misconception, const Problem& problem) {
  for (const Misconception& mistake : task(name).misconceptions)
    if (mistake.name == misconception) return values(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no misconception is called " + misconception);
}

float poison() {
  std::uint32_t bits = 0xA5A5A5A5;
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

TEST(VecaddMake, GivesTwoVectorsTheirLengthAndOneOutput) {
  for (const std::int64_t n : {0, 1, 33, 1000}) {
    const Problem problem = made("vec_add", uniform(n));
    ASSERT_EQ(problem.inputs.size(), 2u);
    EXPECT_EQ(problem.inputs[0].name, "a");
    EXPECT_EQ(problem.inputs[1].name, "b");
    ASSERT_EQ(problem.outputs.size(), 1u);
    EXPECT_EQ(problem.outputs[0].name, "c");
    for (const ArrayShape& array : {ArrayShape(problem.inputs[0]), ArrayShape(problem.inputs[1]), problem.outputs[0]}) {
      EXPECT_EQ(array.shape, std::vector<std::int64_t>{n});
      EXPECT_EQ(array.dtype, DType::kFloat32);
    }
    EXPECT_EQ(integer_scalar(problem, "n"), n);
  }
}

TEST(VecaddMake, OneTaskHasItsVectorsOnTheHostTheOtherOnTheDevice) {
  EXPECT_EQ(made("vec_add", uniform(1)).space, Space::kHost);
  EXPECT_EQ(made("vec_add_device", uniform(1)).space, Space::kDevice);
}

TEST(VecaddMake, UniformStaysInItsRangeAndFillsIt) {
  const Problem problem = made("vec_add", uniform(10'000, -100, 100));
  for (const Array& array : problem.inputs) {
    const auto all = values(array);
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    EXPECT_GE(*least, -100);
    EXPECT_LT(*most, 100);
    EXPECT_LT(*least, -99);
    EXPECT_GT(*most, 99);
  }
  EXPECT_NE(problem.inputs[0].bytes, problem.inputs[1].bytes);
}

TEST(VecaddMake, UnusualValuesAreOfEveryKindAndOverflowNowhere) {
  Parameters parameters;
  parameters.set("function", std::string("unusual_values"));
  parameters.set("n", std::int64_t{1023});
  const Problem problem = made("vec_add", parameters);
  bool negative_zero = false, positive_zero = false, denormal = false, huge = false, tiny = false;
  for (const float x : values(problem.inputs[0])) {
    negative_zero |= x == 0 && std::signbit(x);
    positive_zero |= x == 0 && !std::signbit(x);
    denormal |= std::fpclassify(x) == FP_SUBNORMAL;
    huge |= std::abs(x) > 1e38f;
    tiny |= std::abs(x) == std::numeric_limits<float>::min();
  }
  EXPECT_TRUE(negative_zero && positive_zero && denormal && huge && tiny);
  for (const float sum : values(task("vec_add").oracle(problem).at(0))) EXPECT_TRUE(std::isfinite(sum));
}

TEST(VecaddOracle, AddsByHand) {
  const Problem problem = problem_of({1, -2, 0.5f, 16777216}, {2, 2, 0.25f, 1});
  // 2^24 + 1 is not a float: halfway between two, it goes to the even one.
  EXPECT_EQ(values(task("vec_add").oracle(problem).at(0)), (std::vector<float>{3, 0, 0.75f, 16777216}));
}

TEST(VecaddOracle, IsTheExactSumRoundedOnce) {
  // A sum of two floats, taken in double and then rounded, is the correctly rounded sum: 53 >= 2 * 24 + 2 bits.
  for (const double range : {1.0, 1e6, 1e30}) {
    const Problem problem = made("vec_add", uniform(2000, -range, range));
    const auto a = values(problem.inputs[0]);
    const auto b = values(problem.inputs[1]);
    const auto c = values(task("vec_add").oracle(problem).at(0));
    for (std::size_t i = 0; i < c.size(); ++i)
      ASSERT_EQ(c[i], static_cast<float>(static_cast<double>(a[i]) + static_cast<double>(b[i])));
  }
}

TEST(VecaddJudge, AllowsOneUnitInTheLastPlace) {
  const Problem problem = problem_of({1, 2}, {3, 4});
  const auto expected = task("vec_add").oracle(problem);
  auto got = expected;
  elements<float>(got[0])[1] = std::nextafter(6.0f, 7.0f);
  EXPECT_TRUE(task("vec_add").judge(problem, expected, got).right);
  elements<float>(got[0])[1] = std::nextafter(std::nextafter(6.0f, 7.0f), 7.0f);
  EXPECT_FALSE(task("vec_add").judge(problem, expected, got).right);
}

TEST(VecaddWork, IsTwelveBytesAndOneAdditionAnElement) {
  const Work work = task("vec_add_device").work(made("vec_add_device", uniform(1000)));
  EXPECT_EQ(work.bytes, 12'000);
  EXPECT_EQ(work.flops, 1000);
}

TEST(VecaddMistakes, ALastPartialBlockKeepsThePoison) {
  const Problem problem = made("vec_add_device", uniform(300));
  const auto right = values(task("vec_add_device").oracle(problem).at(0));
  const auto wrong = outcome("vec_add_device", "last partial block skipped", problem);  // the first is that of 256
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(wrong[i], i < 256 ? right[i] : poison()) << i;
}

TEST(VecaddMistakes, WhatIsNotComputedOnTheDeviceComesBackAsZeros) {
  const Problem problem = made("vec_add", uniform(300));
  const auto wrong = outcome("vec_add", "last partial block skipped", problem);
  EXPECT_EQ(wrong[256], 0);
  EXPECT_EQ(wrong[299], 0);
}

TEST(VecaddMistakes, AddingBlockAndThreadIndexEndsEarly) {
  const Problem problem = made("vec_add_device", uniform(1000));  // 4 blocks: elements 0 ... 3 + 255
  const auto right = values(task("vec_add_device").oracle(problem).at(0));
  const auto wrong = outcome("vec_add_device", "block index not multiplied by the block size", problem);
  EXPECT_EQ(wrong[258], right[258]);
  EXPECT_EQ(wrong[259], poison());
}

TEST(VecaddMistakes, CountingElementsBringsAQuarterBack) {
  const Problem problem = made("vec_add", uniform(10));  // 10 bytes: two elements and a half
  const auto right = values(task("vec_add").oracle(problem).at(0));
  const auto wrong = outcome("vec_add", "sizes in elements instead of bytes", problem);
  EXPECT_EQ(wrong[0], right[0]);
  EXPECT_EQ(wrong[1], right[1]);
  EXPECT_NE(wrong[2], right[2]);
  EXPECT_NE(wrong[2], poison());
  EXPECT_EQ(wrong[3], poison());
}

TEST(VecaddMistakes, ByHand) {
  const Problem problem = problem_of({1, 2, 3, 4, 5}, {10, 20, 30, 40, 50});
  EXPECT_EQ(outcome("vec_add", "subtracted", problem), (std::vector<float>{-9, -18, -27, -36, -45}));
  EXPECT_EQ(outcome("vec_add", "a added to itself", problem), (std::vector<float>{2, 4, 6, 8, 10}));
  EXPECT_EQ(outcome("vec_add", "b never copied to the device", problem), (std::vector<float>{1, 2, 3, 4, 5}));
  EXPECT_EQ(outcome("vec_add", "a never copied to the device", problem), (std::vector<float>{10, 20, 30, 40, 50}));
  EXPECT_EQ(outcome("vec_add_device", "last n mod 4 elements skipped", problem),
            (std::vector<float>{11, 22, 33, 44, poison()}));
  EXPECT_EQ(outcome("vec_add", "copied back before the kernel ran", problem), std::vector<float>(5, 0.0f));
  EXPECT_EQ(outcome("vec_add", "result never copied back", problem), std::vector<float>(5, poison()));
}

TEST(VecaddMistakes, OfNothingAreNothing) {
  for (const char* name : {"vec_add", "vec_add_device"}) {
    const Problem problem = made(name, uniform(0));
    for (const Misconception& mistake : task(name).misconceptions)
      EXPECT_TRUE(mistake.outcome(problem).at(0).bytes.empty()) << mistake.name;
  }
}

}  // namespace
}  // namespace lanewise::vecadd_test
