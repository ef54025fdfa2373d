// Contents of arrays by rule.
#include "harness/declared/values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace lanewise {
namespace {

template <class T>
std::vector<T> filled(const std::string& rule, std::int64_t count, std::uint64_t seed = 1) {
  Array array = make_array<T>("x", {count});
  Random random(seed);
  fill(array, rule, random, [](const std::string& name) -> double {
    if (name != "top_3") throw std::invalid_argument("no number is called " + name);
    return 3;
  });
  return std::vector<T>(elements<T>(array), elements<T>(array) + count);
}

template <class T>
std::string refusal(const std::string& rule, std::int64_t count = 4) {
  try {
    filled<T>(rule, count);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

TEST(Values, NumbersMayHaveNames) {
  EXPECT_EQ(filled<float>("constant(top_3)", 2), (std::vector<float>{3, 3}));
  EXPECT_EQ(filled<float>("uniform(-1, top_3)", 9), filled<float>("uniform(-1, 3)", 9));
  EXPECT_EQ(filled<float>("uniform(-1,top_3)", 9), filled<float>("uniform(-1, 3)", 9));
  EXPECT_EQ(refusal<float>("uniform(-1, high)"), "no number is called high");
  EXPECT_NE(refusal<float>("uniform(-1, top_3 4)"), "");
}

TEST(Values, UniformNumbersFillTheirRange) {
  const auto floats = filled<float>("uniform(-2, 3)", 10000);
  const auto [low, high] = std::minmax_element(floats.begin(), floats.end());
  EXPECT_GE(*low, -2);
  EXPECT_LT(*low, -1.99);
  EXPECT_LT(*high, 3);
  EXPECT_GT(*high, 2.99);
  auto bytes = filled<std::uint8_t>("uniform(250, 255)", 1000);
  std::sort(bytes.begin(), bytes.end());
  bytes.erase(std::unique(bytes.begin(), bytes.end()), bytes.end());
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{250, 251, 252, 253, 254, 255}));
  const auto negative = filled<std::int32_t>("uniform(-2, -1)", 100);
  EXPECT_TRUE(std::all_of(negative.begin(), negative.end(), [](int value) { return value == -2 || value == -1; }));
  const auto largest = filled<std::int64_t>("uniform(-9223372036854775808, 0)", 100);
  EXPECT_TRUE(std::any_of(largest.begin(), largest.end(), [](std::int64_t value) { return value < -(1LL << 62); }));
}

TEST(Values, SeedDecidesAll) {
  EXPECT_EQ(filled<float>("uniform(0, 1)", 100, 7), filled<float>("uniform(0, 1)", 100, 7));
  EXPECT_NE(filled<float>("uniform(0, 1)", 100, 7), filled<float>("uniform(0, 1)", 100, 8));
}

TEST(Values, ConstantsAndPositions) {
  EXPECT_EQ(filled<double>("constant(-0.5)", 2), (std::vector<double>{-0.5, -0.5}));
  EXPECT_EQ(filled<int>("ascending", 4), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(filled<float>("descending", 3), (std::vector<float>{2, 1, 0}));
  auto shuffled = filled<std::uint16_t>("shuffled", 1000);
  EXPECT_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
  std::sort(shuffled.begin(), shuffled.end());
  for (std::size_t i = 0; i < shuffled.size(); ++i) EXPECT_EQ(shuffled[i], i);
  EXPECT_TRUE(filled<int>("shuffled", 0).empty());
}

TEST(Values, WhatMakesNoSenseIsNamed) {
  for (const char* rule : {"uniform", "uniform(1)", "uniform(1, 2", "uniform(1; 2)", "uniform(1, 1e999)", "constant()",
                           "constant(1, 2)", "ascending(1)", "random", "", "uniform(,)", "uniform(1,2,)"})
    EXPECT_EQ(refusal<float>(rule).rfind("the values of x: ", 0), 0U) << rule << ": " << refusal<float>(rule);
  EXPECT_EQ(refusal<float>("uniform(1, 1)"), "the values of x: uniform(LOW, HIGH) needs LOW < HIGH");
  EXPECT_EQ(refusal<std::uint8_t>("constant(256)"), "the values of x: 256 is not a number of the type uint8");
  EXPECT_EQ(refusal<int>("constant(0.5)"), "the values of x: 0.5 is not a number of the type int32");
  EXPECT_EQ(refusal<std::uint8_t>("ascending", 257), "the values of x: 256 is not a number of the type uint8");
}

}  // namespace
}  // namespace lanewise
