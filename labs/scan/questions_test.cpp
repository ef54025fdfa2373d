// The key to the questions of the lab scan, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

namespace lanewise::scan_test {
namespace {

double numeric_answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "scan/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

TEST(ScanQuestions, WrongSum) {
  int sum = 0;
  for (int i = 0; i <= 700; ++i) sum = i % 256 == 0 ? 1 : sum + 1;
  EXPECT_EQ(numeric_answer("wrong_sum"), sum);
}

TEST(ScanQuestions, AdditionsOfKoggeStone) {
  int additions = 0;
  for (int stride = 1; stride < 1024; stride *= 2)
    for (int t = 0; t < 1024; ++t) additions += t >= stride;
  EXPECT_EQ(numeric_answer("additions_kogge_stone"), additions);
}

TEST(ScanQuestions, AdditionsOfBrentKung) {
  int additions = 0;
  for (int stride = 1; stride < 1024; stride *= 2)
    for (int at = 2 * stride - 1; at < 1024; at += 2 * stride) ++additions;
  for (int stride = 256; stride > 0; stride /= 2)
    for (int at = 2 * stride - 1; at + stride < 1024; at += 2 * stride) ++additions;
  EXPECT_EQ(numeric_answer("additions_brent_kung"), additions);
}

TEST(ScanQuestions, Levels) {
  int launches = 0;
  int blocks = 100'000'000;
  do {
    blocks = (blocks + 255) / 256;
    ++launches;
  } while (blocks > 1);
  EXPECT_EQ(numeric_answer("levels"), launches);
}

TEST(ScanQuestions, Floor) {
  const double bytes = 2 * 4 * std::pow(2.0, 28);
  EXPECT_NEAR(numeric_answer("floor"), bytes / 4.3e12 * 1e3, 0.001);
}

TEST(ScanQuestions, Chain) {
  const double tiles = std::pow(2.0, 28) / 4096;
  EXPECT_NEAR(numeric_answer("chain"), tiles * 1e-6 * 1e3, 0.05);
}

}  // namespace
}  // namespace lanewise::scan_test
