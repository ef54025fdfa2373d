// The key to the questions of the lab reduction, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <variant>

namespace lanewise::reduction_test {
namespace {

std::variant<double, std::string> answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "reduction/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double number(const std::string& id) { return std::get<double>(answer(id)); }

int steps_of_a_tree(int elements) {
  int steps = 0;
  for (; elements > 1; elements /= 2) ++steps;
  return steps;
}

TEST(ReductionQuestions, StepsOfATree) {
  EXPECT_EQ(number("steps_of_a_tree"), steps_of_a_tree(512));
  EXPECT_EQ(number("roundings_on_the_way"), steps_of_a_tree(1 << 20));
}

TEST(ReductionQuestions, WarpsAtWork) {
  std::set<int> spread, in_front;
  const int additions = 256 >> 3;
  for (int k = 0; k < additions; ++k) {
    spread.insert(8 * k / 32);
    in_front.insert(k / 32);
  }
  EXPECT_EQ(number("warps_at_work"), spread.size());
  EXPECT_EQ(number("warps_at_work_in_front"), in_front.size());
}

TEST(ReductionQuestions, WhereAFloatStops) {
  float sum = 0;
  while (sum + 1 > sum) ++sum;
  EXPECT_EQ(number("where_a_float_stops"), sum);
}

TEST(ReductionQuestions, FloorOfASum) {
  EXPECT_NEAR(number("floor_of_a_sum"), std::pow(2.0, 28) * sizeof(float) / 4.4e12 * 1e3, 0.001);
}

TEST(ReductionQuestions, SumOfIntegers) {
  const std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ((most + 5u) + 7u, most + (5u + 7u));
  EXPECT_NE(std::uint64_t{most + 5u}, std::uint64_t{most} + 5u);
  EXPECT_EQ(std::get<std::string>(answer("sum_of_integers")), "c");
}

TEST(ReductionQuestions, PackedTie) {
  const auto key = [](std::uint64_t value, std::uint64_t index) { return (value << 32) + (0xffffffffu - index); };
  EXPECT_EQ(number("packed_tie"), key(5, 3) > key(5, 9) ? 3 : 9);
}

TEST(ReductionQuestions, RateOfTheNaiveStep) {
  EXPECT_NEAR(number("rate_of_the_naive_step"), std::pow(2.0, 28) / 197e6, 0.01);
}

TEST(ReductionQuestions, AtomicsLeft) { EXPECT_EQ(number("atomics_left"), (2'000'000 + 255) / 256); }

}  // namespace
}  // namespace lanewise::reduction_test
