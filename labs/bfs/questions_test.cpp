// The key to the questions of the lab bfs, computed from the numbers in their texts.
#include "harness/lab/questions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "labs/bfs/search.h"

namespace lanewise::bfs_test {
namespace {

std::variant<double, std::string> answer(const std::string& id) {
  const auto key = read_answers(std::filesystem::path(LANEWISE_SOLUTIONS_FOLDER) / "bfs/answers.toml");
  if (!key) {
    ADD_FAILURE() << key.sentence();
    return 0.0;
  }
  return key->at(id);
}

double number(const std::string& id) { return std::get<double>(answer(id)); }
std::string letter(const std::string& id) { return std::get<std::string>(answer(id)); }

TEST(BfsQuestions, DistanceByHand) {
  const std::vector<std::int32_t> row_offsets = {0, 2, 4, 6, 8, 11, 14, 15, 16};
  const std::vector<std::int32_t> columns = {1, 5, 0, 4, 4, 5, 4, 6, 1, 2, 3, 0, 2, 7, 3, 5};
  EXPECT_EQ(number("distance_by_hand"), labs::bfs_lab::search({row_offsets.data(), columns.data(), 8, 16, 0}).at(6));
}

TEST(BfsQuestions, LaunchesOfAPath) {
  int launches = 0;
  for (int reached = 1, found = 1; found != 0; ++launches) {
    found = reached < 1000 ? 1 : 0;
    reached += found;
  }
  EXPECT_EQ(number("launches_of_a_path"), launches);
}

TEST(BfsQuestions, BytesOfLooking) {
  EXPECT_NEAR(number("bytes_of_looking"), std::pow(2.0, 24) * 4 * 8000 / 4.3e12 * 1e3, 0.1);
}

TEST(BfsQuestions, TurnsOfAWarp) {
  const double edges = 31 * 4 + 1000;
  EXPECT_NEAR(number("turns_of_a_warp"), edges / 1000, 0.001);
  EXPECT_EQ(number("turns_when_pooled"), std::ceil(edges / 32));
}

TEST(BfsQuestions, AdditionsSaved) {
  const int blocks = 2560 / 256, found = 40'960 / blocks, places = 2048;
  EXPECT_EQ(number("additions_saved"), blocks * (1 + std::max(0, found - places)));
}

TEST(BfsQuestions, PushOrPull) {
  EXPECT_EQ(number("push_or_pull"), 1'000'000) << "each leaf has one neighbour, the centre, and that is the frontier";
}

TEST(BfsQuestions, WhatNeedsAnAtomic) {
  EXPECT_EQ(letter("what_a_swap_is_for"), "c");
  EXPECT_EQ(letter("the_race"), "c");
}

}  // namespace
}  // namespace lanewise::bfs_test
