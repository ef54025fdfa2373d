// The arrays of the lab merge, and merging them.
#include "labs/merge/test_arrays.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace lanewise::merge_test {
namespace {

TEST(MergeMake, GivesTwoArraysTheirLengthsAndOneOutput) {
  for (const auto& [m, n] : {std::pair{0, 0}, {0, 5}, {7, 0}, {100, 33}}) {
    const Problem problem = made(spread(m, n, -5, 5));
    ASSERT_EQ(problem.inputs.size(), 2u);
    EXPECT_EQ(problem.inputs[0].name, "a");
    EXPECT_EQ(problem.inputs[0].shape, std::vector<std::int64_t>{m});
    EXPECT_EQ(problem.inputs[1].name, "b");
    EXPECT_EQ(problem.inputs[1].shape, std::vector<std::int64_t>{n});
    ASSERT_EQ(problem.outputs.size(), 1u);
    EXPECT_EQ(problem.outputs[0].name, "out");
    EXPECT_EQ(problem.outputs[0].shape, std::vector<std::int64_t>{m + n});
    EXPECT_EQ(problem.outputs[0].dtype, DType::kInt32);
    EXPECT_EQ(problem.space, Space::kDevice);
    EXPECT_EQ(integer_scalar(problem, "m"), m);
    EXPECT_EQ(integer_scalar(problem, "n"), n);
  }
}

TEST(MergeMake, EveryKindIsSorted) {
  for (const char* maker : kMakers)
    for (const auto& [m, n] : {std::pair{1, 1}, {1000, 777}, {3, 2000}}) {
      const Problem problem = made(arrays(maker, m, n));
      for (const Array& array : problem.inputs) {
        const Keys keys = keys_of(array);
        EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end())) << maker;
      }
    }
}

TEST(MergeMake, SpreadStaysInItsRangeAndFillsIt) {
  const std::int64_t least = std::numeric_limits<Key>::min();
  const std::int64_t greatest = std::numeric_limits<Key>::max();
  for (const auto& [low, high] : {std::pair<std::int64_t, std::int64_t>{-9, 9}, {7, 7}, {least, greatest}}) {
    const Problem problem = made(spread(20'000, 10'000, low, high));
    for (const Array& array : problem.inputs) {
      const Keys keys = keys_of(array);
      const std::int64_t part = (high - low) / 1000;
      EXPECT_GE(keys.front(), low);
      EXPECT_LE(keys.front(), low + part);
      EXPECT_LE(keys.back(), high);
      EXPECT_GE(keys.back(), high - part);
    }
  }
}

TEST(MergeMake, SpreadHasEqualNeighboursAndUnequalDistances) {
  const Keys keys = keys_of(made(spread(10'000, 0, 0, 1'000'000'000)).inputs[0]);
  int equal = 0;
  int wide = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    equal += keys[i] == keys[i - 1] ? 1 : 0;
    wide += keys[i] - keys[i - 1] > 150'000 ? 1 : 0;  // the mean is 100,000
  }
  EXPECT_GT(equal, 300);
  EXPECT_GT(wide, 1000);
}

TEST(MergeMake, ExtremesHoldBothEndsOfTheRange) {
  for (const Array& array : made(arrays("extremes", 1000, 1200)).inputs) {
    const Keys keys = keys_of(array);
    const auto quarter = static_cast<std::ptrdiff_t>(keys.size() / 4);
    EXPECT_EQ(std::count(keys.begin(), keys.end(), std::numeric_limits<Key>::min()), quarter);
    EXPECT_EQ(std::count(keys.begin(), keys.end(), std::numeric_limits<Key>::max()), quarter);
  }
}

TEST(MergeMake, OneArrayMayComeWhollyFirst) {
  const Problem a_first = made(arrays("a_first", 500, 600));
  EXPECT_LT(keys_of(a_first.inputs[0]).back(), keys_of(a_first.inputs[1]).front());
  const Problem b_first = made(arrays("b_first", 500, 600));
  EXPECT_LT(keys_of(b_first.inputs[1]).back(), keys_of(b_first.inputs[0]).front());
}

TEST(MergeMake, StretchesTakeTurns) {
  const Problem problem = made(arrays("stretches(3)", 6, 7));
  const Keys a = keys_of(problem.inputs[0]);
  const Key start = a[0];
  EXPECT_EQ(a, (Keys{start, start + 1, start + 2, start + 6, start + 7, start + 8}));
  EXPECT_EQ(keys_of(problem.inputs[1]),
            (Keys{start + 3, start + 4, start + 5, start + 9, start + 10, start + 11, start + 15}));
}

TEST(MergeMake, SaysWhatIsWrongWithACase) {
  EXPECT_THROW(made(spread(-1, 5, 0, 1)), std::invalid_argument);
  EXPECT_THROW(made(spread(5, 5, 2, 1)), std::invalid_argument);
  EXPECT_THROW(made(spread(5, 5, 0, std::int64_t{1} << 31)), std::invalid_argument);
  EXPECT_THROW(made(arrays("shuffled", 5, 5)), std::invalid_argument);
  EXPECT_THROW(made(arrays("stretches(0)", 5, 5)), std::invalid_argument);
  EXPECT_THROW(made(arrays("stretches(2147483647)", 5, 5)), std::invalid_argument);
  EXPECT_THROW(made(arrays("spread(0)", 5, 5)), std::invalid_argument);
}

TEST(MergeOracle, IsASortOfBothArrays) {
  for (const char* maker : kMakers)
    for (const auto& [m, n] : {std::pair{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1000, 777}, {3, 2000}}) {
      const Problem problem = made(arrays(maker, m, n));
      Keys sorted = keys_of(problem.inputs[0]);
      const Keys b = keys_of(problem.inputs[1]);
      sorted.insert(sorted.end(), b.begin(), b.end());
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(keys_of(task().oracle(problem).at(0)), sorted) << maker;
    }
}

TEST(MergeJudge, AllowsNoDifference) {
  const Problem problem = problem_of({1, 3}, {2});
  const auto expected = task().oracle(problem);
  auto got = expected;
  EXPECT_TRUE(task().judge(problem, expected, got).right);
  elements<Key>(got[0])[2] = 4;
  EXPECT_FALSE(task().judge(problem, expected, got).right);
}

TEST(MergeWork, IsEightBytesAnOutput) {
  EXPECT_EQ(task().work(made(spread(600, 400, 0, 9))).bytes, 8000);
  EXPECT_EQ(task().work(made(spread(600, 400, 0, 9))).flops, 1000);
}

}  // namespace
}  // namespace lanewise::merge_test
