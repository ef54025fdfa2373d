// What each typical mistake makes of two arrays, by hand.
#include <gtest/gtest.h>

#include <limits>

#include "labs/merge/test_arrays.h"

namespace lanewise::merge_test {
namespace {

constexpr Key kNone = kUntouched;

TEST(MergeMistakes, OfTheRestOfTheWhole) {
  const Problem a_ends_first = problem_of({1, 3}, {2, 4, 5});
  EXPECT_EQ(outcome("rest lost", a_ends_first), (Keys{1, 2, 3, kNone, kNone}));
  EXPECT_EQ(outcome("rest of B lost", a_ends_first), (Keys{1, 2, 3, kNone, kNone}));
  EXPECT_EQ(outcome("rest of A lost", a_ends_first), (Keys{1, 2, 3, 4, 5}));
  const Problem b_ends_first = problem_of({1, 4, 5}, {2, 3});
  EXPECT_EQ(outcome("rest lost", b_ends_first), (Keys{1, 2, 3, kNone, kNone}));
  EXPECT_EQ(outcome("rest of B lost", b_ends_first), (Keys{1, 2, 3, 4, 5}));
  EXPECT_EQ(outcome("rest of A lost", b_ends_first), (Keys{1, 2, 3, kNone, kNone}));
}

// The second entry is that of threads with eight outputs each: 0 1 2 3 4 5 6 7, then 8 9 10 11.
TEST(MergeMistakes, OfTheRestOfEverySegment) {
  const Problem problem = problem_of({0, 2, 4, 5, 6, 7, 10, 11}, {1, 3, 8, 9});
  EXPECT_EQ(outcome("rest lost", problem, 1), (Keys{0, 1, 2, 3, kNone, kNone, kNone, kNone, 8, 9, kNone, kNone}));
  EXPECT_EQ(outcome("rest of A lost", problem, 1), (Keys{0, 1, 2, 3, kNone, kNone, kNone, kNone, 8, 9, kNone, kNone}));
  EXPECT_EQ(outcome("rest of B lost", problem, 1), (Keys{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(MergeMistakes, OfTies) {
  const Problem problem = problem_of({1, 5, 5, 5, 9}, {5, 5});
  EXPECT_EQ(outcome("ties counted with < on both sides", problem), (Keys{1, 5, 5, 5, kNone, kNone, 9}));
  EXPECT_EQ(outcome("ties counted with <= on both sides", problem), (Keys{1, kNone, kNone, 5, 5, 5, 9}));
}

TEST(MergeMistakes, OfTheSearch) {
  // Threads of four outputs (the second entry). At k = 4 the range is [0, 4]: the guess 2 asks whether 4 <= 1; high
  // becomes 1 and not 2, and the guess 0 leads to 1. So the second thread begins with A's second key, not its third. At
  // k = 8 the range is [3, 5]: the guess 4 leads to 3 likewise, and the third thread finds nothing left of B.
  const Problem problem = problem_of({0, 2, 4, 6, 8}, {-1, 1, 3, 5, 7});
  EXPECT_EQ(outcome("co-rank search moves past the answer", problem, 1), (Keys{-1, 0, 1, 2, 2, 4, 5, 6, 6, 8}));
}

TEST(MergeMistakes, OfTheHalfThatIsKept) {
  // Threads of four outputs (the second entry). At k = 4 the range is [0, 4]: 4 > 1 sends low to 3, and 6 > -1 to 4, so
  // the second thread has A's last key and B's first three. At k = 8 the range is [3, 5], 8 > 3 sends low to 5, and the
  // third thread has B's last two keys.
  const Problem problem = problem_of({0, 2, 4, 6, 8}, {-1, 1, 3, 5, 7});
  EXPECT_EQ(outcome("co-rank search keeps the wrong half", problem, 1), (Keys{-1, 0, 1, 2, -1, 1, 3, 5, 5, 7}));
}

TEST(MergeMistakes, OfCutting) {
  // Pieces of four (threads of eight outputs); the first entries are those of tiles.
  const Problem problem = problem_of({1, 2, 3, 4, 5}, {0, 0, 0, 0, 0, 9});
  EXPECT_EQ(outcome("inputs cut without looking at the keys", problem, 4), (Keys{0, 0, 0, 0, 1, 2, 3, 4, 0, 5, 9}));
}

TEST(MergeMistakes, OfKeys) {
  const Key greatest = std::numeric_limits<Key>::max();
  const Problem at_the_end = problem_of({-1, greatest}, {0, greatest});
  EXPECT_EQ(outcome("INT_MAX taken for the end", at_the_end), (Keys{-1, 0, kNone, kNone}));
  EXPECT_EQ(outcome("keys compared without their sign", at_the_end), (Keys{0, greatest, -1, greatest}));
  const Problem close = problem_of({1'000'000'002, 1'000'000'003}, {1'000'000'001});
  EXPECT_EQ(outcome("keys compared as floats", close), (Keys{1'000'000'002, 1'000'000'003, 1'000'000'001}));
  const Problem small = problem_of({1, 4}, {2, 3});
  EXPECT_EQ(outcome("larger key taken first", small), (Keys{2, 3, 1, 4}));
  EXPECT_EQ(outcome("copied one after the other", small), (Keys{1, 4, 2, 3}));
  EXPECT_EQ(outcome("copied one after the other", small, 1), (Keys{2, 3, 1, 4}));
}

TEST(MergeMistakes, OfCoverage) {
  const Problem problem = made(spread(3000, 1000, 0, 9));
  const Keys right = keys_of(task().oracle(problem).at(0));
  const Keys partial = outcome("last partial segment or tile skipped", problem);  // tiles of 2048
  const Keys first = outcome("only the first tile merged", problem, 1);           // tiles of 1024
  const Keys overlapping = outcome("blocks begin too close together", problem);   // 0 to 2047 and 256 to 2303
  for (std::size_t k = 0; k < right.size(); ++k) {
    EXPECT_EQ(partial[k], k < 2048 ? right[k] : kNone) << k;
    EXPECT_EQ(first[k], k < 1024 ? right[k] : kNone) << k;
    EXPECT_EQ(overlapping[k], k < 2304 ? right[k] : kNone) << k;
  }
}

TEST(MergeMistakes, OfNothingAreNothing) {
  const Problem problem = made(spread(0, 0, 0, 1));
  for (const Misconception& mistake : task().misconceptions)
    EXPECT_TRUE(mistake.outcome(problem).at(0).bytes.empty()) << mistake.name;
}

}  // namespace
}  // namespace lanewise::merge_test
