// The key to the questions, computed from the numbers in their texts.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "harness/lab/questions.h"

namespace lanewise::sort_test {
namespace {

std::variant<double, std::string> radix_answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "radix_sort/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double radix_number(const std::string& id) { return std::get<double>(radix_answer(id)); }
std::string choice(const std::string& id) { return std::get<std::string>(radix_answer(id)); }

TEST(RadixSortQuestions, PlaceOfAKey) {
  const std::vector<int> bits = {1, 0, 1, 1, 0, 0, 1, 0, 1, 0};
  std::vector<std::size_t> order;
  for (const int bit : {0, 1})
    for (std::size_t i = 0; i < bits.size(); ++i)
      if (bits[i] == bit) order.push_back(i);
  EXPECT_EQ(order.at(static_cast<std::size_t>(radix_number("place_of_a_key"))), 6u);
}

TEST(RadixSortQuestions, PlaceOfAGroup) {
  const std::array<std::array<int, 4>, 3> tiles = {{{3, 1, 4, 2}, {2, 5, 0, 3}, {1, 2, 6, 1}}};
  int before = 0;
  for (std::size_t digit = 0; digit <= 2; ++digit)
    for (std::size_t tile = 0; tile < 3; ++tile)
      if (digit < 2 || tile < 2) before += tiles[tile][digit];
  EXPECT_EQ(radix_number("place_of_a_group"), before);
}

TEST(RadixSortQuestions, OnesFromTheBack) {
  std::vector<int> keys = {6, 3, 4, 1, 2};
  for (int bit = 0; bit < 3; ++bit) {
    std::vector<int> next(keys.size());
    std::size_t front = 0;
    std::size_t back = keys.size();
    for (const int key : keys) next[key / (1 << bit) % 2 == 1 ? --back : front++] = key;
    keys = next;
  }
  EXPECT_EQ(radix_number("ones_from_the_back"), keys[1]);
}

TEST(RadixSortQuestions, RankOfALane) {
  const std::vector<int> digits = {5, 2, 5, 5, 2, 7, 5, 2};
  int rank = 9;
  for (std::size_t lane = 0; lane < 6; ++lane) rank += digits[lane] == digits[6] ? 1 : 0;
  EXPECT_EQ(radix_number("rank_of_a_lane"), rank);
}

TEST(RadixSortQuestions, BytesOfAGroup) {
  EXPECT_EQ(radix_number("bytes_of_a_group"), 4096.0 / (1 << 8) * sizeof(int));
}

TEST(RadixSortQuestions, TimeOfOneSweep) {
  const double keys = std::pow(2.0, 28);
  EXPECT_NEAR(radix_number("time_of_one_sweep"), (1 + 4 * 2) * keys * sizeof(int) / 4.3e12 * 1e3, 0.001);
}

TEST(RadixSortQuestions, BufferOfTheFirstPass) {
  std::string buffer = "d_out";  // of the last pass
  for (int pass = 2; pass > 0; --pass) buffer = buffer == "d_out" ? "scratch" : "d_out";
  EXPECT_EQ(buffer, "d_out");
  EXPECT_EQ(choice("buffer_of_the_first_pass"), "b");
}

// Those that fill up the tile have the greatest digit and come last: a stable deal leaves 290 + 10 true keys in front.
TEST(RadixSortQuestions, TrueGreatestKeys) {
  EXPECT_EQ(300 - 290, 10);
  EXPECT_EQ(choice("true_greatest_keys"), "b");
}

}  // namespace
}  // namespace lanewise::sort_test
