// What each typical mistake makes of an array of unsigned keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>

#include "harness/lab/lab.h"
#include "labs/keys_to_sort_test.h"

namespace lanewise::sort_test {
namespace {

constexpr std::uint32_t kUntouched = 0xA5A5A5A5U;  // the poison as a key

// What the first entry of that name gives, or one after it.
Keys outcome(const std::string& misconception, const Keys& keys, int which = 0) {
  const Problem problem = problem_of(keys);
  for (const Misconception& mistake : task("radix_sort").misconceptions)
    if (mistake.name == misconception && which-- == 0) return keys_of<std::uint32_t>(mistake.outcome(problem).at(0));
  throw std::invalid_argument("no such misconception: " + misconception);
}

// n, n - 1, ... 1
Keys falling(std::uint32_t n) {
  Keys keys(n);
  std::iota(keys.rbegin(), keys.rend(), 1U);
  return keys;
}

TEST(RadixSortMistakes, OfOrder) {
  EXPECT_EQ(outcome("descending", {2, 0xFFFFFFFF, 0, 7}), (Keys{0xFFFFFFFF, 7, 2, 0}));
  EXPECT_EQ(outcome("sorted as signed numbers", {2, 0xFFFFFFFF, 0x80000000, 7}), (Keys{0x80000000, 0xFFFFFFFF, 2, 7}));
  EXPECT_EQ(outcome("sorted as signed numbers", {2, 0x80, 0x100, 0x1FF}, 1), (Keys{0x80, 2, 0x1FF, 0x100}));
}

// Worked by hand: the question on this pass is computed in questions_test.cpp. With 29 more passes by a bit that
// is 0 in all keys, nothing changes: zeros keep their order.
TEST(RadixSortMistakes, UnstablePassesUndoOneAnother) {
  EXPECT_EQ(outcome("unstable scatter", {6, 3, 4, 1, 2}), (Keys{1, 3, 2, 6, 4}));
  // Groups of one bit backwards: an even number of passes turns equal bits round and back.
  EXPECT_EQ(outcome("unstable scatter", {5, 5, 5}, 1), (Keys{5, 5, 5}));
  EXPECT_NE(outcome("unstable scatter", {0x12, 0x11, 0x21}, 2), (Keys{0x11, 0x12, 0x21}));
}

TEST(RadixSortMistakes, FirstDigitFirstIsAnOrderOfReversedBits) {
  EXPECT_EQ(outcome("first digit first", {1, 2, 4, 3}), (Keys{4, 2, 1, 3}));
}

TEST(RadixSortMistakes, OfPasses) {
  const Keys keys = {0x80000001, 0x00000002, 0x40000000, 0x00000000};
  EXPECT_EQ(outcome("last pass not in the output", keys), (Keys{0x00000000, 0x80000001, 0x00000002, 0x40000000}));
  EXPECT_EQ(outcome("last pass not in the output", keys, 1), (Keys{0x40000000, 0x00000000, 0x80000001, 0x00000002}));
  EXPECT_EQ(outcome("a digit left out", {3, 2, 1, 0}), (Keys{1, 0, 3, 2}));
  EXPECT_EQ(outcome("a digit left out", {0x11, 0x03, 0x02}, 1), (Keys{0x03, 0x02, 0x11}));
  EXPECT_EQ(outcome("half of every digit left out", {0x13, 0x31, 0x21, 0x102}), (Keys{0x31, 0x21, 0x13, 0x102}));
  EXPECT_EQ(outcome("every pass reads the input", keys), (Keys{0x00000002, 0x40000000, 0x00000000, 0x80000001}));
  EXPECT_EQ(outcome("every pass reads the input", keys, 1), (Keys{0x00000002, 0x00000000, 0x40000000, 0x80000001}));
}

TEST(RadixSortMistakes, OfTiles) {
  const Keys keys = falling(1000);
  const Keys apart = outcome("tiles sorted, not merged", keys);
  EXPECT_EQ(apart[0], 489u);
  EXPECT_EQ(apart[511], 1000u);
  EXPECT_EQ(apart[512], 1u);
  const Keys skipped = outcome("last partial tile skipped", keys);
  EXPECT_EQ(skipped[511], 1000u);
  EXPECT_EQ(std::count(skipped.begin(), skipped.end(), kUntouched), 488);
}

TEST(RadixSortMistakes, TilesThatDoNotKnowOfOneAnother) {
  EXPECT_EQ(outcome("counts of the tiles before not added", {3, 1, 2}), (Keys{1, 2, 3})) << "one tile knows enough";
  const Keys got = outcome("counts of the tiles before not added", falling(1000));
  EXPECT_FALSE(std::is_sorted(got.begin(), got.end()));
}

// The last two keys have the top digit of the padding, and are in another warp or row than some of it.
TEST(RadixSortMistakes, PaddingIsRankedBeforeKeysOfLaterWarpsAndRows) {
  const Keys few = {9, 8, 7};
  EXPECT_EQ(outcome("keys ranked in another order", few), (Keys{7, 8, 9}));
  EXPECT_EQ(outcome("keys ranked in another order", few, 1), (Keys{7, 8, 9}));
  Keys many(34, 0), expected = many;
  many[32] = many[33] = 0xFF000000;
  expected[32] = expected[33] = 0xFFFFFFFF;
  EXPECT_EQ(outcome("keys ranked in another order", many), expected);
  EXPECT_EQ(outcome("keys ranked in another order", many, 1), expected);
}

TEST(RadixSortMistakes, OnesOnePlaceTooFar) {
  // Keys of a single bit: after the first pass the last one has fallen off, and a place is garbage.
  const Keys got = outcome("ones one place too far", {0, 1});
  EXPECT_NE(got, (Keys{0, 1}));
  EXPECT_EQ(outcome("ones one place too far", {0, 0}), (Keys{0, 0}));
}

TEST(RadixSortMistakes, OfARaceAreNotLookedFor) {
  const Problem problem = problem_of(Keys((std::size_t{1} << 24) + 1, 3));
  for (const Misconception& mistake : task("radix_sort").misconceptions)
    EXPECT_TRUE(mistake.outcome(problem).empty()) << mistake.name;
}

}  // namespace
}  // namespace lanewise::sort_test
