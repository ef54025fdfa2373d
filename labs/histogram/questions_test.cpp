// The key to the questions of the lab histogram, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

namespace lanewise::histogram_test {
namespace {

double numeric_answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "histogram/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

TEST(HistogramQuestions, LeftOfAnIncrement) {
  int bin = 0;
  int read[32];
  for (int& lane : read) lane = bin;
  for (const int lane : read) bin = lane + 1;
  EXPECT_EQ(numeric_answer("left_of_an_increment"), bin);
}

TEST(HistogramQuestions, TimeOfOneQueue) {
  EXPECT_NEAR(numeric_answer("time_of_one_queue"), std::pow(2.0, 30) * 1e-9, 0.005);
}

TEST(HistogramQuestions, GlobalAdditions) {
  EXPECT_EQ(numeric_answer("global_additions_one_element"), std::pow(2.0, 30) / 1024 * 256);
  EXPECT_EQ(numeric_answer("global_additions_coarsened"), 528 * 256);
}

TEST(HistogramQuestions, PassesAndTheirFloor) {
  const int bins_of_a_pass = 192 * 1024 / 4;
  int passes = 0;
  for (int first = 0; first < 1 << 21; first += bins_of_a_pass) ++passes;
  EXPECT_EQ(numeric_answer("passes"), passes);
  EXPECT_NEAR(numeric_answer("floor_of_the_passes"), passes * std::pow(2.0, 28) * 4 / 4.3e12 * 1e3, 0.01);
}

TEST(HistogramQuestions, ShareOfTheHottestBin) {
  EXPECT_NEAR(numeric_answer("share_of_the_hottest_bin"), 0.9 * std::pow(2.0, 28) / 132, 0.1);
}

}  // namespace
}  // namespace lanewise::histogram_test
