// The signed keys of the lab merge_sort, and the same keys in order. The lab radix_sort tests the kinds of keys.
#include "harness/lab/lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "datasets/chunks.h"
#include "labs/keys_to_sort_test.h"

namespace lanewise::sort_test {
namespace {

constexpr std::int32_t kLeastInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kGreatestInt = std::numeric_limits<std::int32_t>::max();

std::vector<std::int32_t> ints(const Parameters& parameters) {
  return keys_of<std::int32_t>(made("merge_sort", parameters).inputs[0]);
}

TEST(MergeSortMake, GivesOneArrayItsLengthAndOneOutput) {
  for (const int n : {0, 1, 100}) {
    const Problem problem = made("merge_sort", entropy(n, 1));
    ASSERT_EQ(problem.inputs.size(), 1u);
    EXPECT_EQ(problem.inputs[0].shape, std::vector<std::int64_t>{n});
    EXPECT_EQ(problem.inputs[0].dtype, DType::kInt32);
    ASSERT_EQ(problem.outputs.size(), 1u);
    EXPECT_EQ(problem.outputs[0].shape, std::vector<std::int64_t>{n});
    EXPECT_EQ(problem.outputs[0].dtype, DType::kInt32);
    EXPECT_EQ(integer_scalar(problem, "n"), n);
  }
}

TEST(MergeSortMake, SignedKeysAreInTheOrderOfUnsignedOnes) {
  const auto keys = ints(kind("sorted", 5000));
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_LT(keys.front(), kLeastInt + 1'000'000);
  EXPECT_GT(keys.back(), kGreatestInt - 1'000'000);
  const auto zeros = ints(entropy(50, 0));
  EXPECT_EQ(std::count(zeros.begin(), zeros.end(), kLeastInt), 50);
}

TEST(MergeSortMake, BetweenStaysInItsRangeAndFillsIt) {
  const auto keys = ints(between(20'000, -9, 9));
  EXPECT_EQ(*std::min_element(keys.begin(), keys.end()), -9);
  EXPECT_EQ(*std::max_element(keys.begin(), keys.end()), 9);
  EXPECT_THROW(ints(between(5, 0, std::int64_t{1} << 31)), std::invalid_argument);
  EXPECT_THROW(ints(between(5, std::int64_t{kLeastInt} - 1, 0)), std::invalid_argument);
}

// The last size is longer than one thread's chunk: chunks share every digit's group.
TEST(MergeSortOracle, IsASort) {
  for (const char* each : {"sorted", "reversed", "nearly sorted", "equal", "zipf", "extremes"})
    for (const std::int64_t n : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, kChunk + 5}) {
      const Problem problem = made("merge_sort", kind(each, n));
      auto keys = keys_of<std::int32_t>(problem.inputs[0]);
      std::sort(keys.begin(), keys.end());
      EXPECT_EQ(keys_of<std::int32_t>(task("merge_sort").oracle(problem).at(0)), keys) << each;
    }
}

TEST(MergeSortJudge, AllowsNoDifference) {
  const Problem problem = made("merge_sort", entropy(3, 1));
  const auto expected = task("merge_sort").oracle(problem);
  auto got = expected;
  EXPECT_TRUE(task("merge_sort").judge(problem, expected, got).right);
  ++elements<std::int32_t>(got[0])[2];
  EXPECT_FALSE(task("merge_sort").judge(problem, expected, got).right);
}

TEST(MergeSortWork, IsEveryKeyReadAndWrittenOnce) {
  const Work work = task("merge_sort").work(made("merge_sort", entropy(1000, 1)));
  EXPECT_EQ(work.bytes, 8000);
  EXPECT_EQ(work.flops, 1000);
}

}  // namespace
}  // namespace lanewise::sort_test
