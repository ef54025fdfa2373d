// The keys of the lab radix_sort, and the same keys in order; merge_sort has the same kinds.
#include "harness/lab/lab.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "datasets/chunks.h"
#include "labs/keys_to_sort_test.h"

namespace lanewise::sort_test {
namespace {

TEST(RadixSortMake, GivesOneArrayItsLengthAndOneOutput) {
  for (const int n : {0, 1, 100}) {
    const Problem problem = made("radix_sort", entropy(n, 1));
    ASSERT_EQ(problem.inputs.size(), 1u);
    EXPECT_EQ(problem.inputs[0].name, "in");
    EXPECT_EQ(problem.inputs[0].shape, std::vector<std::int64_t>{n});
    EXPECT_EQ(problem.inputs[0].dtype, DType::kUint32);
    ASSERT_EQ(problem.outputs.size(), 1u);
    EXPECT_EQ(problem.outputs[0].name, "out");
    EXPECT_EQ(problem.outputs[0].shape, std::vector<std::int64_t>{n});
    EXPECT_EQ(problem.outputs[0].dtype, DType::kUint32);
    EXPECT_EQ(problem.space, Space::kDevice);
    EXPECT_EQ(integer_scalar(problem, "n"), n);
  }
}

TEST(RadixSortMake, SortedReversedAndNearlySorted) {
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

TEST(RadixSortMake, EqualFewAndZipf) {
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

TEST(RadixSortMake, BetweenStaysInItsRangeAndFillsIt) {
  const auto keys = keys_of<std::uint32_t>(made("radix_sort", between(20'000, 4'294'967'000, 4'294'967'295)).inputs[0]);
  EXPECT_EQ(*std::min_element(keys.begin(), keys.end()), 4'294'967'000U);
  EXPECT_EQ(*std::max_element(keys.begin(), keys.end()), 4'294'967'295U);
}

TEST(RadixSortMake, DigitChangesItsBitsAlone) {
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

TEST(RadixSortMake, ExtremesHoldBothEndsOfTheRange) {
  const auto keys = keys_of<std::uint32_t>(made("radix_sort", kind("extremes", 10'000)).inputs[0]);
  EXPECT_NEAR(static_cast<double>(std::count(keys.begin(), keys.end(), 0U)), 2500, 250);
  EXPECT_NEAR(static_cast<double>(std::count(keys.begin(), keys.end(), 0xFFFFFFFFU)), 2500, 250);
}

TEST(RadixSortMake, SaysWhatIsWrongWithACase) {
  const auto radix = [](const Parameters& parameters) { return made("radix_sort", parameters); };
  EXPECT_THROW(radix(entropy(-1, 1)), std::invalid_argument);
  EXPECT_THROW(radix(entropy(5, 6)), std::invalid_argument);
  EXPECT_THROW(radix(kind("entropy", 5)), std::invalid_argument);
  EXPECT_THROW(radix(kind("shuffled", 5)), std::invalid_argument);
  EXPECT_THROW(radix(between(5, -1, 5)), std::invalid_argument);
  EXPECT_THROW(radix(between(5, 6, 5)), std::invalid_argument);
  EXPECT_THROW(radix(Parameters()), std::invalid_argument);
}

TEST(RadixSortOracle, IsASort) {
  for (const char* each : {"sorted", "reversed", "nearly sorted", "equal", "zipf", "extremes"})
    for (const int n : {0, 1, 2, 1000}) {
      const Problem problem = made("radix_sort", kind(each, n));
      auto keys = keys_of<std::uint32_t>(problem.inputs[0]);
      std::sort(keys.begin(), keys.end());
      EXPECT_EQ(keys_of<std::uint32_t>(task("radix_sort").oracle(problem).at(0)), keys) << each;
    }
}

// Longer than one thread's chunk: chunks share every digit's group.
TEST(RadixSortOracle, AcrossChunks) {
  for (const std::int64_t words : {1, 5}) {
    const Problem problem = made("radix_sort", entropy(2 * kChunk + 5, words));
    auto keys = keys_of<std::uint32_t>(problem.inputs[0]);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(keys_of<std::uint32_t>(task("radix_sort").oracle(problem).at(0)), keys);
  }
}

TEST(RadixSortJudge, AllowsNoDifference) {
  const Problem problem = problem_of({3, 1, 2});
  const auto expected = task("radix_sort").oracle(problem);
  auto got = expected;
  EXPECT_TRUE(task("radix_sort").judge(problem, expected, got).right);
  elements<std::uint32_t>(got[0])[2] = 4;
  EXPECT_FALSE(task("radix_sort").judge(problem, expected, got).right);
}

TEST(RadixSortWork, IsEveryKeyReadAndWrittenOnce) {
  EXPECT_EQ(task("radix_sort").work(made("radix_sort", entropy(1000, 1))).bytes, 8000);
  EXPECT_EQ(task("radix_sort").work(made("radix_sort", entropy(1000, 1))).flops, 1000);
}

}  // namespace
}  // namespace lanewise::sort_test
