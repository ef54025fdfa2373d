// The keys of the lab sort, and the same keys in order.
#include "harness/lab/lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/chunks.h"
#include "labs/sort/test_keys.h"

namespace lanewise::sort_test {
namespace {

constexpr std::int32_t kLeastInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kGreatestInt = std::numeric_limits<std::int32_t>::max();

TEST(SortMake, GivesOneArrayItsLengthAndOneOutput) {
  for (const int n : {0, 1, 100})
    for (const char* name : {"radix_sort", "merge_sort"}) {
      const Problem problem = made(name, entropy(n, 1));
      ASSERT_EQ(problem.inputs.size(), 1u);
      EXPECT_EQ(problem.inputs[0].name, "in");
      EXPECT_EQ(problem.inputs[0].shape, std::vector<std::int64_t>{n});
      ASSERT_EQ(problem.outputs.size(), 1u);
      EXPECT_EQ(problem.outputs[0].name, "out");
      EXPECT_EQ(problem.outputs[0].shape, std::vector<std::int64_t>{n});
      EXPECT_EQ(problem.outputs[0].dtype, problem.inputs[0].dtype);
      EXPECT_EQ(problem.space, Space::kDevice);
      EXPECT_EQ(integer_scalar(problem, "n"), n);
    }
  EXPECT_EQ(made("radix_sort", entropy(1, 1)).inputs[0].dtype, DType::kUint32);
  EXPECT_EQ(made("merge_sort", entropy(1, 1)).inputs[0].dtype, DType::kInt32);
}

TEST(SortMake, SignedKeysAreInTheOrderOfUnsignedOnes) {
  const auto keys = keys_of<std::int32_t>(made("merge_sort", kind("sorted", 5000)).inputs[0]);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_LT(keys.front(), kLeastInt + 1'000'000);
  EXPECT_GT(keys.back(), kGreatestInt - 1'000'000);
  const auto zeros = keys_of<std::int32_t>(made("merge_sort", entropy(50, 0)).inputs[0]);
  EXPECT_EQ(std::count(zeros.begin(), zeros.end(), kLeastInt), 50);
}

TEST(SortMake, SortedReversedAndNearlySorted) {
  const auto sorted = keys_of<std::uint32_t>(made("radix_sort", kind("sorted", 5000)).inputs[0]);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  const auto reversed = keys_of<std::uint32_t>(made("radix_sort", kind("reversed", 5000)).inputs[0]);
  EXPECT_TRUE(std::is_sorted(reversed.rbegin(), reversed.rend()));
  const auto nearly = keys_of<std::uint32_t>(made("radix_sort", kind("nearly sorted", 5000)).inputs[0]);
  int falls = 0;
  for (std::size_t i = 1; i < nearly.size(); ++i) falls += nearly[i] < nearly[i - 1] ? 1 : 0;
  EXPECT_GT(falls, 10);
  EXPECT_LT(falls, 200);
}

TEST(SortMake, EqualFewAndZipf) {
  const auto different = [](const Parameters& parameters) {
    const auto keys = keys_of<std::uint32_t>(made("radix_sort", parameters).inputs[0]);
    return std::set<std::uint32_t>(keys.begin(), keys.end()).size();
  };
  EXPECT_EQ(different(kind("equal", 1000)), 1u);
  Parameters few = kind("few", 1000);
  few.set("different", std::int64_t{8});
  EXPECT_EQ(different(few), 8u);
  const std::size_t zipf = different(kind("zipf", 10'000));
  EXPECT_GT(zipf, 1000u);
  EXPECT_LT(zipf, 9000u);
}

TEST(SortMake, BetweenStaysInItsRangeAndFillsIt) {
  const auto keys = keys_of<std::int32_t>(made("merge_sort", between(20'000, -9, 9)).inputs[0]);
  EXPECT_EQ(*std::min_element(keys.begin(), keys.end()), -9);
  EXPECT_EQ(*std::max_element(keys.begin(), keys.end()), 9);
  const auto large =
      keys_of<std::uint32_t>(made("radix_sort", between(20'000, 4'294'967'000, 4'294'967'295)).inputs[0]);
  EXPECT_EQ(*std::min_element(large.begin(), large.end()), 4'294'967'000U);
  EXPECT_EQ(*std::max_element(large.begin(), large.end()), 4'294'967'295U);
}

TEST(SortMake, DigitChangesItsBitsAlone) {
  Parameters parameters = kind("digit", 3000);
  parameters.set("first_bit", std::int64_t{28});
  parameters.set("bits", std::int64_t{4});
  const auto keys = keys_of<std::uint32_t>(made("radix_sort", parameters).inputs[0]);
  std::set<std::uint32_t> top;
  for (const std::uint32_t key : keys) {
    EXPECT_EQ(key & 0x0FFFFFFFU, keys[0] & 0x0FFFFFFFU);
    top.insert(key >> 28);
  }
  EXPECT_EQ(top.size(), 16u);
}

TEST(SortMake, ExtremesHoldBothEndsOfTheRange) {
  const auto keys = keys_of<std::uint32_t>(made("radix_sort", kind("extremes", 10'000)).inputs[0]);
  EXPECT_NEAR(static_cast<double>(std::count(keys.begin(), keys.end(), 0U)), 2500, 250);
  EXPECT_NEAR(static_cast<double>(std::count(keys.begin(), keys.end(), 0xFFFFFFFFU)), 2500, 250);
}

TEST(SortMake, SaysWhatIsWrongWithACase) {
  const auto radix = [](const Parameters& parameters) { return made("radix_sort", parameters); };
  EXPECT_THROW(radix(entropy(-1, 1)), std::invalid_argument);
  EXPECT_THROW(radix(entropy(5, 6)), std::invalid_argument);
  EXPECT_THROW(radix(kind("entropy", 5)), std::invalid_argument);
  EXPECT_THROW(radix(kind("shuffled", 5)), std::invalid_argument);
  EXPECT_THROW(radix(between(5, -1, 5)), std::invalid_argument);
  EXPECT_THROW(radix(between(5, 6, 5)), std::invalid_argument);
  EXPECT_THROW(made("merge_sort", between(5, 0, std::int64_t{1} << 31)), std::invalid_argument);
  EXPECT_THROW(radix(Parameters()), std::invalid_argument);
}

TEST(SortOracle, IsASort) {
  for (const char* each : {"sorted", "reversed", "nearly sorted", "equal", "zipf", "extremes"})
    for (const int n : {0, 1, 2, 1000}) {
      const Problem problem = made("radix_sort", kind(each, n));
      auto keys = keys_of<std::uint32_t>(problem.inputs[0]);
      std::sort(keys.begin(), keys.end());
      EXPECT_EQ(keys_of<std::uint32_t>(task("radix_sort").oracle(problem).at(0)), keys) << each;
      const Problem of_ints = made("merge_sort", kind(each, n));
      auto ints = keys_of<std::int32_t>(of_ints.inputs[0]);
      std::sort(ints.begin(), ints.end());
      EXPECT_EQ(keys_of<std::int32_t>(task("merge_sort").oracle(of_ints).at(0)), ints) << each;
    }
}

// Longer than one thread's chunk: chunks share every digit's group.
TEST(SortOracle, AcrossChunks) {
  for (const std::int64_t words : {1, 5}) {
    const Problem problem = made("radix_sort", entropy(2 * kChunk + 5, words));
    auto keys = keys_of<std::uint32_t>(problem.inputs[0]);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(keys_of<std::uint32_t>(task("radix_sort").oracle(problem).at(0)), keys);
  }
}

TEST(SortJudge, AllowsNoDifference) {
  const Problem problem = problem_of({3, 1, 2});
  const auto expected = task("radix_sort").oracle(problem);
  auto got = expected;
  EXPECT_TRUE(task("radix_sort").judge(problem, expected, got).right);
  elements<std::uint32_t>(got[0])[2] = 4;
  EXPECT_FALSE(task("radix_sort").judge(problem, expected, got).right);
}

TEST(SortWork, IsEveryKeyReadAndWrittenOnce) {
  EXPECT_EQ(task("radix_sort").work(made("radix_sort", entropy(1000, 1))).bytes, 8000);
  EXPECT_EQ(task("merge_sort").work(made("merge_sort", entropy(1000, 1))).flops, 1000);
}

}  // namespace
}  // namespace lanewise::sort_test
