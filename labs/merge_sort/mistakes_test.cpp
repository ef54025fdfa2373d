// What each typical mistake makes of an array of signed keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/lab/lab.h"
#include "labs/keys_to_sort.h"
#include "labs/merge_sort/mistakes.h"

namespace lanewise::labs::merge_sort_lab {
namespace {

using Key = std::int32_t;
using Keys = std::vector<Key>;

constexpr Key kUntouched = static_cast<Key>(0xA5A5A5A5);  // the poison as a key

Problem problem_of(const Keys& keys) {
  Parameters parameters;
  parameters.set("kind", std::string("entropy"));
  parameters.set("n", static_cast<std::int64_t>(keys.size()));
  parameters.set("words", std::int64_t{0});
  auto problem = std::get<Problem>(keys_to_sort::make_signed(parameters, 1));
  std::copy(keys.begin(), keys.end(), elements<Key>(problem.inputs[0]));
  return problem;
}

// n, n - 1, ... 1
Keys falling(Key n) {
  Keys keys(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = n - static_cast<Key>(i);
  return keys;
}

// What the first entry of that name gives, or one after it.
Keys outcome(const std::string& misconception, const Keys& keys, int which = 0) {
  for (const Misconception& mistake : mistakes())
    if (mistake.name == misconception && which-- == 0) {
      const std::vector<Array> out = mistake.outcome(problem_of(keys));
      const Key* first = elements<Key>(out.at(0));
      return {first, first + element_count(out[0])};
    }
  throw std::invalid_argument("no such misconception: " + misconception);
}

TEST(MergeSortMistakes, OfOrder) {
  const Keys keys = {3, -1, 0, std::numeric_limits<Key>::min(), std::numeric_limits<Key>::max()};
  const Key least = std::numeric_limits<Key>::min();
  const Key greatest = std::numeric_limits<Key>::max();
  EXPECT_EQ(outcome("keys compared without their sign", keys), (Keys{0, 3, greatest, least, -1}));
  EXPECT_EQ(outcome("descending", keys), (Keys{greatest, 3, 0, -1, least}));
  EXPECT_EQ(outcome("keys compared as floats", {1'000'000'003, 5, 1'000'000'001}),
            (Keys{5, 1'000'000'003, 1'000'000'001}));
  const int padded = 1;  // entries where INT_MAX pads the last tile, so that negative keys fall off its end
  EXPECT_EQ(outcome("keys compared without their sign", {3, -1, 0}, padded), (Keys{0, 3, greatest}));
}

// Tiles of 2048 keys come first in every list of sizes.
TEST(MergeSortMistakes, OfTheOtherBuffer) {
  const std::string name = "result left in the other buffer";
  Keys rising = falling(4096);
  std::reverse(rising.begin(), rising.end());
  Keys two_runs(4096);  // what one level has still to merge
  for (std::size_t i = 0; i < two_runs.size(); ++i) two_runs[i] = static_cast<Key>((i + 2048) % 4096) + 1;
  EXPECT_EQ(outcome(name, falling(4096)), two_runs) << "one level";
  EXPECT_EQ(outcome(name, falling(2)), (Keys{1, 2})) << "none";
  const int even = 6;  // entries with wrong results after an even number of levels come behind the six others
  EXPECT_EQ(outcome(name, falling(4096), even), rising) << "one level";
  EXPECT_EQ(outcome(name, falling(2), even), (Keys{kUntouched, kUntouched})) << "none";
}

TEST(MergeSortMistakes, OfTheLevels) {
  EXPECT_EQ(outcome("last level missing", falling(6)), (Keys{3, 4, 5, 6, 1, 2}));
  EXPECT_EQ(outcome("last level missing", falling(1)), (Keys{1}));
  const Keys tiles = outcome("tiles sorted, not merged", falling(5000));
  EXPECT_EQ(tiles[0], 5000 - 2047);
  EXPECT_EQ(tiles[2047], 5000);
  EXPECT_EQ(tiles[2048], 5000 - 4095);
  EXPECT_EQ(tiles[4999], 5000 - 4096);
  EXPECT_TRUE(std::is_sorted(tiles.begin() + 2048, tiles.begin() + 4096));
  EXPECT_EQ(outcome("runs do not double", falling(5)), (Keys{4, 5, 2, 3, 1}));
}

TEST(MergeSortMistakes, OfBuffersThatLevelsAreToExchange) {
  const std::string counted = "levels counted from single keys";
  EXPECT_EQ(outcome(counted, falling(2)), (Keys{kUntouched, kUntouched})) << "one level is counted, and none launched";
  EXPECT_EQ(outcome(counted, falling(3)), (Keys{1, 2, 3})) << "two levels are counted";
  EXPECT_EQ(outcome(counted, falling(5000)), outcome("last level missing", falling(5000), 1));
  const std::string stuck = "every level reads the tiles";
  const Keys one_level = outcome(stuck, falling(4096));
  EXPECT_TRUE(std::is_sorted(one_level.begin(), one_level.end())) << "it reads the tiles anyway";
  EXPECT_EQ(outcome(stuck, falling(5000)), outcome("tiles sorted, not merged", falling(5000)));
  EXPECT_THROW(outcome(stuck, falling(9000)), std::out_of_range) << "three levels: the result cannot be told";
}

// Entries for tiles of one key come last.
TEST(MergeSortMistakes, OfALastLevelThatIsNotLaunched) {
  const std::string name = "last level not launched";
  EXPECT_EQ(outcome(name, {3, 1, 2}, 6), (Keys{kUntouched, kUntouched, kUntouched})) << "two levels";
  EXPECT_EQ(outcome(name, falling(6), 6), (Keys{5, 6, 3, 4, 1, 2})) << "three levels, and d_out holds the first one's";
  EXPECT_EQ(outcome(name, {2, 1}, 6), (Keys{kUntouched, kUntouched}));
  EXPECT_EQ(outcome(name, {2, 1}), (Keys{1, 2})) << "a single tile";
}

TEST(MergeSortMistakes, OfEqualKeys) {
  const std::string name = "equal keys in the same place";
  EXPECT_EQ(outcome(name, {4, 2, 3, 1}), (Keys{1, 2, 3, 4}));
  EXPECT_EQ(outcome(name, {5, 5}), (Keys{5, kUntouched}));
  // The first level leaves 1 and a hole, 2 and a hole; a hole is less than any key, and for a search among both it ends
  // the run: 1 and 2 go to place 2, where the last one stays.
  const Key hole = static_cast<Key>(0xCBCBCBCB);
  EXPECT_EQ(outcome(name, {1, 1, 2, 2}), (Keys{kUntouched, hole, 2, kUntouched}));
  EXPECT_EQ(outcome(name, {1, 1, 2, 2}, 1), (Keys{kUntouched, hole, 1, kUntouched})) << "a store for left runs is last";
}

// Three runs of one key (the entry for tiles of one key is the last): the third is not copied on the first level, which
// writes to the scratch memory.
TEST(MergeSortMistakes, OfARunWithoutAPartner) {
  const std::string name = "run without a partner dropped";
  const Key found = static_cast<Key>(0xCBCBCBCB);  // what vgpu memory holds before anybody writes: less than 0
  EXPECT_EQ(outcome(name, {7, 9, 5}, 6), (Keys{found, 7, 9}));
  EXPECT_EQ(outcome(name, {7, 9, 5, 1}, 6), (Keys{1, 5, 7, 9}));
  EXPECT_EQ(outcome(name, {2, 1}), (Keys{1, 2}));
  const int cleared = 7;  // entries where the scratch memory was cleared come behind the seven others
  EXPECT_EQ(outcome(name, {7, 9, 5}, cleared + 6), (Keys{0, 7, 9}));
}

TEST(MergeSortMistakes, OfTheLastTile) {
  EXPECT_EQ(outcome("zeros among the keys", {5, -2, 4}), (Keys{-2, 0, 0}));
  EXPECT_EQ(outcome("zeros among the keys", {-5, -2, -4}), (Keys{-5, -4, -2}));
  EXPECT_EQ(outcome("last partial tile lost", {5, -2, 4}), (Keys{kUntouched, kUntouched, kUntouched}));
  const Keys lost = outcome("last partial tile lost", falling(2050));
  EXPECT_EQ(lost[0], 3);
  EXPECT_EQ(lost[2047], 2050);
  EXPECT_EQ(lost[2048], kUntouched);
}

TEST(MergeSortMistakes, OfMergingInPlace) {
  EXPECT_EQ(outcome("merged in place", {1, 2}), (Keys{1, 2}));
  EXPECT_EQ(outcome("merged in place", {2, 1}), (Keys{1, 1})) << "the left key was overwritten before it was taken";
}

TEST(MergeSortMistakes, ALevelCanBeMissingOnlyAboveTheTiles) {
  Keys two_runs = falling(4096);
  std::sort(two_runs.begin(), two_runs.begin() + 2048);
  std::sort(two_runs.begin() + 2048, two_runs.end());
  EXPECT_EQ(outcome("last level missing", falling(4096), 1), two_runs) << "tiles of 2048";
  EXPECT_EQ(outcome("last level missing", {3, 1, 2}, 1), (Keys{1, 2, 3})) << "a single tile";
}

TEST(MergeSortMistakes, WhatAMergeMakesOfKeysOutOfOrderIsNotGuessed) {
  // Tiles of 2048: in the second level the third pair is dropped, and its two tiles stay as they were.
  for (const Misconception& mistake : mistakes())
    if (mistake.name == "run without a partner dropped") {
      EXPECT_FALSE(mistake.outcome(problem_of(falling(3 * 2048))).empty());
      EXPECT_TRUE(mistake.outcome(problem_of(falling(6 * 2048))).empty());
      return;
    }
}

TEST(MergeSortMistakes, OfARaceAreNotLookedFor) {
  const Problem problem = problem_of(Keys((std::size_t{1} << 24) + 1, 3));
  for (const Misconception& mistake : mistakes()) EXPECT_TRUE(mistake.outcome(problem).empty()) << mistake.name;
}

TEST(MergeSortMistakes, OfNothingAreNothing) {
  const Problem problem = problem_of({});
  for (const Misconception& mistake : mistakes())
    EXPECT_TRUE(mistake.outcome(problem).at(0).bytes.empty()) << mistake.name;
}

}  // namespace
}  // namespace lanewise::labs::merge_sort_lab
