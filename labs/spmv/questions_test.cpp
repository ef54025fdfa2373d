// The key to the questions of the lab spmv, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace lanewise::spmv_test {
namespace {

std::variant<double, std::string> answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "spmv/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double number(const std::string& id) { return std::get<double>(answer(id)); }

TEST(SpmvQuestions, ProductByHand) {
  const std::vector<int> row_offsets = {0, 2, 2, 5, 6};
  const std::vector<std::size_t> columns = {0, 3, 0, 1, 2, 1};
  const std::vector<int> values = {2, 1, 1, 4, 3, 5};
  const std::vector<int> x = {1, 2, 3, 4};
  int sum = 0;
  for (auto j = static_cast<std::size_t>(row_offsets[2]); j < static_cast<std::size_t>(row_offsets[3]); ++j)
    sum += values[j] * x[columns[j]];
  EXPECT_EQ(number("product_by_hand"), sum);
}

TEST(SpmvQuestions, LanesOfShortRows) { EXPECT_NEAR(number("lanes_of_short_rows"), 100.0 * 7 / 32, 0.1); }

TEST(SpmvQuestions, SectorsOfAThreadARow) {
  std::set<int> sectors;
  for (int lane = 0; lane < 32; ++lane) sectors.insert(lane * 100 * static_cast<int>(sizeof(float)) / 32);
  EXPECT_EQ(number("sectors_of_a_thread_a_row"), sectors.size());
}

TEST(SpmvQuestions, LongRowOfAWarp) { EXPECT_NEAR(number("long_row_of_a_warp"), 1048576 / 32.0 * 0.5e-3, 1e-9); }

TEST(SpmvQuestions, RowEndsByHand) {
  const std::vector<int> row_offsets = {0, 2, 2, 5, 6};
  std::size_t row = 0;
  for (int step = 0, entry = 0; step < 5; ++step) {
    if (row_offsets[row + 1] <= entry)
      ++row;
    else
      ++entry;
  }
  EXPECT_EQ(number("row_ends_by_hand"), row);
}

TEST(SpmvQuestions, TilesOfAPath) { EXPECT_EQ(number("tiles_of_a_path"), std::ceil((1000 + 7000) / 1792.0)); }

// Three threads' sums in hand, of which the first one's belongs to a row that the second ends.
TEST(SpmvQuestions, WhatIsHandedOn) {
  struct Share {
    bool ends_row;
    double in_hand;
  };
  const std::vector<Share> before = {{false, 1}, {true, 10}, {false, 100}};
  double handed_on = 0;
  for (const Share& share : before) handed_on = share.ends_row ? share.in_hand : handed_on + share.in_hand;
  EXPECT_EQ(handed_on, 110) << "of the last thread that ended a row, and of those after it";
  EXPECT_EQ(std::get<std::string>(answer("what_is_handed_on")), "c");
}

TEST(SpmvQuestions, FloorOfPoisson) {
  const double rows = std::pow(2.0, 24);
  const double bytes = 7 * rows * (sizeof(float) + sizeof(int)) + (rows + 1) * sizeof(int) + 2 * rows * sizeof(float);
  EXPECT_NEAR(number("floor_of_poisson"), bytes / 4.3e12 * 1e3, 0.001);
}

}  // namespace
}  // namespace lanewise::spmv_test
