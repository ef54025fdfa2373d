// The key to the questions of the lab stencil, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace lanewise::stencil_test {
namespace {

std::variant<double, std::string> answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "stencil/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double number(const std::string& id) { return std::get<double>(answer(id)); }

// The corner has pixels under the upper left four taps only.
TEST(StencilQuestions, OutputByHand) { EXPECT_EQ(number("output_by_hand"), 1 * 7 + 2 * 8 + 4 * 11 + 5 * 12); }

TEST(StencilQuestions, LoadsOfATile) {
  const double side = 32 + 2 * 7;
  EXPECT_NEAR(number("loads_of_a_tile"), side * side / (32 * 32), 0.005);
}

TEST(StencilQuestions, LoadsOfAColumn) {
  std::set<int> rows;
  for (int output = 0; output < 8; ++output)
    for (int tap = -7; tap <= 7; ++tap) rows.insert(output + tap);
  EXPECT_EQ(number("loads_of_a_column"), rows.size());
}

TEST(StencilQuestions, WhereArithmeticTakesOver) {
  int side = 1;
  while (2.0 * side * side / 65e12 <= 8 / 4.3e12) side += 2;
  EXPECT_EQ(number("where_arithmetic_takes_over"), side);
}

TEST(StencilQuestions, RowsOfAWarp) {
  std::set<std::pair<int, int>> rows;
  for (int lane = 0; lane < 32; ++lane) rows.emplace(lane / 4 % 4, lane / 16);
  EXPECT_EQ(number("rows_of_a_warp"), rows.size());
}

TEST(StencilQuestions, PlanesInTheCache) {
  EXPECT_EQ(number("planes_in_the_cache"), 3.0 * 1500 * 1200 * sizeof(double));
}

TEST(StencilQuestions, EndsOfAMarch) {
  int loaded = 0;
  for (int first = 0; first < 100; first += 12) loaded += std::min(first + 12, 99) - std::max(first - 1, 0) + 1;
  EXPECT_EQ(number("ends_of_a_march"), loaded);
}

// Bits between the finest fraction of a weighted value and the largest sum: a float holds 24. Each choice is the weight
// of the finest part, what the points are multiples of, and the largest of them.
TEST(StencilQuestions, WhenTheOrderWouldMatter) {
  const auto bits = [](double weight, double unit, double most) { return std::log2(most / (unit * weight)); };
  EXPECT_LE(bits(1.0 / 8, 1, 0x1p20), 24);
  EXPECT_LE(bits(1.0 / 8, 1024, 0x1p30), 24);
  EXPECT_LE(bits(1.0 / 16, 1, 0x1p20), 24);
  EXPECT_GT(bits(1.0 / 8, 1, 0x1p23), 24);
  EXPECT_EQ(std::get<std::string>(answer("when_the_order_would_matter")), "b");
}

}  // namespace
}  // namespace lanewise::stencil_test
