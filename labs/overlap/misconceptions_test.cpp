// What each typical mistake makes of keys and rings, by hand.
#include <gtest/gtest.h>

#include "labs/overlap/test_arrays.h"

namespace lanewise::overlap_test {
namespace {

constexpr std::uint32_t kUnwritten = 0xA5A5A5A5u;

// How many of the digests are right, from the first on; those after them were never written.
std::size_t written(const std::string& mistake, std::int64_t n, int which = 0) {
  const Problem problem = made("stretch", n, 3);
  const Words expected = right("stretch", problem);
  const Words got = outcome("stretch", mistake, problem, which);
  std::size_t count = 0;
  while (count < got.size() && got[count] == expected[count]) ++count;
  for (std::size_t i = count; i < got.size(); ++i) EXPECT_EQ(got[i], kUnwritten) << mistake << ", " << i;
  return count;
}

TEST(StretchMistakes, OfPieces) {
  EXPECT_EQ(written("keys after the last whole piece left out", 1003), 1000U) << "eight pieces of 125";
  EXPECT_EQ(written("keys after the last whole piece left out", 5), 0U);
  EXPECT_EQ(written("last piece left out", 1003), 7U * 126);
  EXPECT_EQ(written("last piece left out", 1003, 2), 502U) << "two pieces";
  EXPECT_EQ(written("only the first piece came back", 1003), 126U);
  EXPECT_EQ(written("digests never copied back", 10), 0U);
}

TEST(StretchMistakes, OfOffsets) {
  const Problem problem = made("stretch", 20, 3);  // pieces of three
  const Words expected = right("stretch", problem);
  const Words got = outcome("stretch", "every piece is the first", problem);
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], expected[i % 3]) << i;
}

TEST(StretchMistakes, OfBlocksLeaveWhatFreshDeviceMemoryHolds) {
  const Problem problem = made("stretch", 300, 3);
  const Words got = outcome("stretch", "last partial block skipped", problem);
  EXPECT_EQ(got[255], right("stretch", problem)[255]);
  EXPECT_NE(got[256], kUnwritten);
  EXPECT_EQ(got[256], got[299]);
  EXPECT_EQ(outcome("stretch", "copied back before the kernel ran", problem)[0], got[256]);
}

TEST(StretchMistakes, OfRounds) {
  const Words keys = {1, 2, 3};
  const auto after = [&](int rounds) { return right("stretch", problem_of("stretch", keys, rounds)); };
  EXPECT_EQ(outcome("stretch", "one round too few", problem_of("stretch", keys, 4)), after(3));
  EXPECT_EQ(outcome("stretch", "one round too many", problem_of("stretch", keys, 4)), after(5));
  EXPECT_EQ(outcome("stretch", "the keys came back", problem_of("stretch", keys, 4)), keys);
}

TEST(StretchMistakes, OfBytes) { EXPECT_EQ(written("sizes in keys instead of bytes", 400), 100U); }

TEST(EvolveMistakes, OfSteps) {
  const Words cells = {8, 16, 24, 32};
  const auto after = [&](int steps) { return right("evolve", problem_of("evolve", cells, steps)); };
  const auto wrong = [&](const char* name, int which = 0) {
    return outcome("evolve", name, problem_of("evolve", cells, 113), which);
  };
  EXPECT_EQ(wrong("one step too few"), after(112));
  EXPECT_EQ(wrong("one step too many"), after(114));
  EXPECT_EQ(wrong("no step at all"), cells);
  EXPECT_EQ(wrong("steps that are left over not done"), after(100));
  EXPECT_EQ(wrong("steps that are left over not done", 3), after(110)) << "graphs of ten steps";
  EXPECT_EQ(wrong("graph never launched"), after(13));
  EXPECT_EQ(wrong("graph never launched", 3), after(3)) << "graphs of ten steps";
  EXPECT_EQ(wrong("nothing written"), Words(4, kUnwritten));
}

TEST(EvolveMistakes, OfTheArrayInWhichTheStepsEnd) {
  const Words cells = {8, 16, 24, 32};
  const auto after = [&](int steps) { return right("evolve", problem_of("evolve", cells, steps)); };
  const auto wrong = [&](int steps, int which) {
    return outcome("evolve", "one step too few", problem_of("evolve", cells, steps), which);
  };
  EXPECT_EQ(wrong(6, 1), after(5)) << "even numbers of steps";
  EXPECT_EQ(wrong(7, 1), after(7));
  EXPECT_EQ(wrong(6, 2), after(6)) << "odd ones";
  EXPECT_EQ(wrong(7, 2), after(6));
  for (int which = 0; which < 3; ++which) EXPECT_EQ(wrong(0, which), cells) << "a copy, not a step";
}

TEST(EvolveMistakes, OfNeighbours) {
  const Problem problem = problem_of("evolve", {8, 16, 24}, 1);
  EXPECT_EQ(outcome("evolve", "zeros beyond the ends", problem), (Words{(0 ^ 1) + 80, (8 ^ 2) + 120, (16 ^ 3) + 0}));
  EXPECT_EQ(outcome("evolve", "left and right swapped", problem), (Words{(16 ^ 1) + 120, (24 ^ 2) + 40, (8 ^ 3) + 80}));
}

}  // namespace
}  // namespace lanewise::overlap_test
