// The key to the questions of the lab reduction, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <utility>
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
  EXPECT_EQ(number("roundings_on_the_way"), (1 << 22) / (1 << 18) - 1 + steps_of_a_tree(1 << 18));
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
  while (sum + 0.25f > sum) sum += 0.25f;
  EXPECT_EQ(number("where_a_float_stops"), sum);
}

TEST(ReductionQuestions, FloorOfASum) {
  EXPECT_NEAR(number("floor_of_a_sum"), 600e6 * sizeof(float) / 3.0e12 * 1e3, 0.001);
}

TEST(ReductionQuestions, SumOfIntegers) {
  const std::uint32_t a = 3'000'000'000, b = 2'000'000'000, c = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ((a + b) + c, a + (b + c));
  EXPECT_EQ(number("sum_of_integers"), a + b + c);
}

TEST(ReductionQuestions, PackedTie) {
  const auto key = [](std::uint64_t value, std::uint64_t index) { return (value << 32) + (0xffffffffu - index); };
  EXPECT_EQ(number("packed_tie"), key(5, 3) > key(5, 9) ? 3 : 9);
}

// The blocks' two operations each, in every order.
TEST(ReductionQuestions, WhyPacked) {
  const int v[] = {9, 12}, index_of[] = {40, 5};
  std::set<std::pair<int, int>> left;
  for (const auto& order : {std::array{0, 0, 1, 1}, std::array{0, 1, 0, 1}, std::array{0, 1, 1, 0},
                            std::array{1, 0, 0, 1}, std::array{1, 0, 1, 0}, std::array{1, 1, 0, 0}}) {
    int value = std::numeric_limits<int>::min(), index = -1;
    int done[2] = {}, old[2] = {};
    for (const int block : order) {
      if (done[block]++ == 0)
        old[block] = std::exchange(value, std::max(value, v[block]));
      else if (v[block] > old[block])
        index = index_of[block];
    }
    left.emplace(value, index);
  }
  EXPECT_EQ(left, (std::set<std::pair<int, int>>{{12, 5}, {12, 40}}));
  EXPECT_EQ(std::get<std::string>(answer("why_packed")), "c");
}

TEST(ReductionQuestions, RateOfTheNaiveStep) {
  EXPECT_NEAR(number("rate_of_the_naive_step"), std::pow(2.0, 28) / 197e6, 0.01);
}

TEST(ReductionQuestions, AtomicsLeft) { EXPECT_EQ(number("atomics_left"), (3'000'000 + 32 * 8 - 1) / (32 * 8)); }

}  // namespace
}  // namespace lanewise::reduction_test
