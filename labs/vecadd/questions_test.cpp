// The key to the questions of the lab vecadd, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

namespace lanewise::vecadd_test {
namespace {

double numeric_answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "vecadd/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

constexpr int kThreadsPerBlock = 256;

TEST(VecaddQuestions, BytesOfAVector) { EXPECT_EQ(numeric_answer("bytes_of_a_vector"), 1000 * sizeof(float)); }

TEST(VecaddQuestions, BytesAcrossTheBus) {
  const double up = 2 * 2'000'000 * sizeof(float);
  const double down = 2'000'000 * sizeof(float);
  EXPECT_EQ(numeric_answer("bytes_across_the_bus"), up + down);
}

TEST(VecaddQuestions, BlocksForTwoMillion) {
  int blocks = 0;
  for (int covered = 0; covered < 2'000'000; covered += kThreadsPerBlock) ++blocks;
  EXPECT_EQ(numeric_answer("blocks_for_two_million"), blocks);
}

TEST(VecaddQuestions, IdleThreads) {
  int idle = 0;
  for (int block = 0; block * kThreadsPerBlock < 1000; ++block)
    for (int thread = 0; thread < kThreadsPerBlock; ++thread) idle += block * kThreadsPerBlock + thread >= 1000;
  EXPECT_EQ(numeric_answer("idle_threads"), idle);
}

TEST(VecaddQuestions, ElementOfAThread) { EXPECT_EQ(numeric_answer("element_of_a_thread"), 3 * kThreadsPerBlock + 17); }

TEST(VecaddQuestions, FloorOnTheDevice) {
  const double bytes = 3 * std::pow(2.0, 28) * sizeof(float);
  const double milliseconds = bytes / 4.3e12 * 1e3;
  EXPECT_NEAR(numeric_answer("floor_on_the_device"), milliseconds, 0.001);
}

}  // namespace
}  // namespace lanewise::vecadd_test
