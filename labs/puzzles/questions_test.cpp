// The key to the questions on the programs in faults/: a line is where the fault is, or the cure belongs.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace lanewise::puzzles_test {
namespace {

namespace fs = std::filesystem;

double number(const std::string& id) {
  const auto key = read_answers(fs::path(LANEWISE_SOLUTIONS_FOLDER) / "puzzles/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0;
  }
  return std::get<double>(key->at(id));
}

std::string line_of(const std::string& program, int number) {
  std::ifstream stream(fs::path(LANEWISE_LABS_FOLDER) / "puzzles/faults" / program);
  std::string line;
  for (int i = 0; i < number; ++i) std::getline(stream, line);
  return line;
}

TEST(PuzzleQuestions, NameTheLinesOfTheFaults) {
  EXPECT_NE(line_of("2_smooth.cu", static_cast<int>(number("smooth_line"))).find("i == 0 || i == n"),
            std::string::npos);
  EXPECT_NE(line_of("3_marks.cu", static_cast<int>(number("marks_line"))).find("cudaMalloc(&d_counts"),
            std::string::npos);
  EXPECT_NE(line_of("5_column_sums.cu", static_cast<int>(number("column_sums_line"))).find("sum += matrix"),
            std::string::npos);
  EXPECT_NE(line_of("6_scaled.cu", static_cast<int>(number("scaled_line"))).find("factors.data(), n,"),
            std::string::npos);
}

// The barrier is right after either line between the loop that fills the tile and the one that reads it.
TEST(PuzzleQuestions, BarrierOfTheMovingSum) {
  const int before = static_cast<int>(number("moving_sum_line"));
  EXPECT_EQ(line_of("1_moving_sum.cu", before), "  }");
  EXPECT_EQ(line_of("1_moving_sum.cu", before + 1), "  int sum = 0;");
  EXPECT_NE(line_of("1_moving_sum.cu", before + 2).find("tile[threadIdx.x + k]"), std::string::npos);
}

TEST(PuzzleQuestions, ThreadsInTheLastRoundOfTheLoop) {
  constexpr int kTile = 128 + 8 - 1;
  EXPECT_EQ(number("moving_sum_reached"), kTile % 128);
}

TEST(PuzzleQuestions, BanksOfPaddedRows) {
  EXPECT_EQ(number("transpose_bank"), (5 * 33 + 3) % 32);
  std::array<int, 32> words{};  // of a column, in each bank
  for (int x = 0; x < 32; ++x) ++words[x * (32 + 6) % 32];
  EXPECT_EQ(number("transpose_turns"), *std::max_element(words.begin(), words.end()));
}

TEST(PuzzleQuestions, FactorsThatArrived) {
  constexpr int kBytes = 1000;
  EXPECT_EQ(number("scaled_factors"), kBytes / sizeof(int));
}

}  // namespace
}  // namespace lanewise::puzzles_test
