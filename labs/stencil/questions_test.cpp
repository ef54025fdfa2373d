// The key to the questions of the lab stencil, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>

namespace lanewise::stencil_test {
namespace {

double number(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "stencil/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

// The corner has pixels under the lower right four taps only.
TEST(StencilQuestions, OutputByHand) { EXPECT_EQ(number("output_by_hand"), 5 * 1 + 6 * 2 + 8 * 5 + 9 * 6); }

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
  for (int lane = 0; lane < 32; ++lane) rows.emplace(lane / 8 % 8, lane / 64);
  EXPECT_EQ(number("rows_of_a_warp"), rows.size());
}

TEST(StencilQuestions, PlanesInTheCache) {
  EXPECT_EQ(number("planes_in_the_cache"), 3.0 * 2048 * 2048 * sizeof(float));
}

TEST(StencilQuestions, EndsOfAMarch) { EXPECT_EQ(number("ends_of_a_march"), 1 + 16 + 1); }

}  // namespace
}  // namespace lanewise::stencil_test
