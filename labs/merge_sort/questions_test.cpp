// The key to the questions, computed from the numbers in their texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/questions.h"

namespace lanewise::sort_test {
namespace {

std::variant<double, std::string> answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "merge_sort/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double number(const std::string& id) { return std::get<double>(answer(id)); }

int levels_above(std::size_t tile, std::size_t n) {
  int levels = 0;
  for (std::size_t run = tile; run < n; run *= 2) ++levels;
  return levels;
}

TEST(MergeSortQuestions, LevelsAboveTiles) { EXPECT_EQ(number("levels_above_tiles"), levels_above(2048, 100'000)); }

TEST(MergeSortQuestions, TimeOfAllLevels) {
  const double keys = std::pow(2.0, 28);
  const int trips = 1 + levels_above(4096, std::size_t{1} << 28);
  EXPECT_NEAR(number("time_of_all_levels"), trips * 2 * keys * sizeof(int) / 4.3e12 * 1e3, 0.01);
}

TEST(MergeSortQuestions, TheOtherBuffer) {
  std::vector<std::size_t> runs[2];  // lengths of the runs in d_out, and in the scratch memory
  runs[0] = {2048, 2048, 2048, 2048, 10'000 - 4 * 2048};
  int from = 0;
  while (runs[from].size() > 1) {
    runs[1 - from].clear();
    for (std::size_t i = 0; i < runs[from].size(); i += 2)
      runs[1 - from].push_back(runs[from][i] + (i + 1 < runs[from].size() ? runs[from][i + 1] : 0));
    from = 1 - from;
  }
  EXPECT_EQ(from, 1);
  EXPECT_EQ(runs[0], (std::vector<std::size_t>{8192, 1808}));
  EXPECT_EQ(std::get<std::string>(answer("the_other_buffer")), "b");
}

TEST(MergeSortQuestions, ZerosInTheTile) {
  std::vector<int> tile = {5, -3, 7, -1, 2, 0, 0, 0};
  std::sort(tile.begin(), tile.end());
  const auto stored = 5 - std::count(tile.begin(), tile.begin() + 5, 0);
  EXPECT_EQ(number("zeros_in_the_tile"), static_cast<double>(stored));
}

TEST(MergeSortQuestions, SecondRun) {
  const int n = 7000, run = 2048, pair = 4096;
  EXPECT_EQ(pair % (2 * run), 0);
  EXPECT_EQ(number("second_run"), std::min(run, n - pair - run));
}

TEST(MergeSortQuestions, PairOfAThread) {
  const int first = 8 * 45, run = 32;
  EXPECT_EQ(number("pair_of_a_thread"), first - first % (2 * run));
}

}  // namespace
}  // namespace lanewise::sort_test
