// The key to the questions of the lab merge, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace lanewise::merge_test {
namespace {

std::variant<double, std::string> answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "merge/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double number(const std::string& id) { return std::get<double>(answer(id)); }

TEST(MergeQuestions, CoRankByHand) {
  const std::vector<int> a = {2, 4, 4, 6, 10};
  const std::vector<int> b = {1, 4, 5, 7};
  std::size_t i = 0;
  for (std::size_t k = 0; k < 4; ++k) i += a[i] <= b[k - i] ? 1 : 0;
  EXPECT_EQ(number("co_rank_by_hand"), i);
}

TEST(MergeQuestions, PlaceOfB) { EXPECT_EQ(number("place_of_b"), 10 + (17 + 1)); }

// The search begins with low = 0 and high = 2^27. high = i, which leaves the larger half, halves their distance.
TEST(MergeQuestions, ProbesOfASearch) {
  int probes = 0;
  for (long long distance = 1LL << 27; distance > 0; distance /= 2) ++probes;
  EXPECT_EQ(number("probes_of_a_search"), probes);
}

TEST(MergeQuestions, SectorsOfAStore) {
  std::set<int> sectors;
  for (int lane = 0; lane < 32; ++lane) sectors.insert(lane * 8 * static_cast<int>(sizeof(int)) / 32);
  EXPECT_EQ(number("sectors_of_a_store"), sectors.size());
}

TEST(MergeQuestions, KeysLoadedInVain) {
  const int loaded = 8 * (2048 + 2048);
  const int used = 8 * 2048;
  EXPECT_EQ(number("keys_loaded_in_vain"), loaded - used);
}

TEST(MergeQuestions, BankConflicts) {
  std::vector<int> words(32);
  for (int lane = 0; lane < 32; ++lane) ++words[static_cast<std::size_t>(16 * lane % 32)];
  EXPECT_EQ(number("bank_conflicts"), *std::max_element(words.begin(), words.end()));
}

TEST(MergeQuestions, FloorOfAMerge) {
  const double bytes = 2 * std::pow(2.0, 28) * sizeof(int);
  EXPECT_NEAR(number("floor_of_a_merge"), bytes / 4.3e12 * 1e3, 0.001);
}

TEST(MergeQuestions, IntMaxAsMark) {
  const std::vector<int> a = {1, INT_MAX};
  const std::vector<int> b = {2, INT_MAX, INT_MAX};
  std::vector<int> out;
  for (std::size_t i = 0, j = 0; out.size() < a.size() + b.size();) {
    const int of_a = i < a.size() ? a[i] : INT_MAX;
    const int of_b = j < b.size() ? b[j] : INT_MAX;
    out.push_back(of_a <= of_b ? of_a : of_b);
    ++(of_a <= of_b ? i : j);
  }
  EXPECT_EQ(out, (std::vector<int>{1, 2, INT_MAX, INT_MAX, INT_MAX}));
  EXPECT_EQ(std::get<std::string>(answer("int_max_as_mark")), "a");
}

}  // namespace
}  // namespace lanewise::merge_test
