// Known answers from made-up streams: drifting, with two humps, with a heavy tail, with an outlier.
#include "harness/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/measure/testing/streams.h"

namespace lanewise::measure {
namespace {

TEST(Statistics, MedianOfNoneOneAndTwo) {
  EXPECT_EQ(median_of({}), 0);
  EXPECT_EQ(median_of({3}), 3);
  EXPECT_EQ(median_of({3, 1}), 2);
  EXPECT_EQ(median_of({9, 1, 2}), 2);
}

TEST(Statistics, QuartilesInterpolate) {
  const Quartiles quartiles = quartiles_of({5, 1, 4, 2, 3});
  EXPECT_EQ(quartiles.least, 1);
  EXPECT_EQ(quartiles.first, 2);
  EXPECT_EQ(quartiles.median, 3);
  EXPECT_EQ(quartiles.third, 4);
  EXPECT_EQ(quartiles_of({}).third, 0);
  EXPECT_DOUBLE_EQ(quartiles_of({1, 2}).first, 1.25);
}

// Conover's table of the binomial with p = 1/2: the largest k with P(X <= k) <= 0.025, plus one, is the rank.
TEST(Statistics, IntervalHasTheRanksOfTheBinomialTable) {
  EXPECT_EQ(outside_interval(5), 0U);
  EXPECT_EQ(outside_interval(6), 0U);  // 1/64 at either end: the extremes themselves
  EXPECT_EQ(outside_interval(8), 0U);
  EXPECT_EQ(outside_interval(9), 1U);
  EXPECT_EQ(outside_interval(10), 1U);
  EXPECT_EQ(outside_interval(20), 5U);
  EXPECT_EQ(outside_interval(30), 9U);
  EXPECT_EQ(outside_interval(100), 39U);
}

TEST(Statistics, IntervalOfVeryManySamplesIsThatOfTheNormalApproximation) {
  const auto expected = 50'000 - 1.96 * std::sqrt(100'000.0) / 2;
  EXPECT_NEAR(static_cast<double>(outside_interval(100'000)), expected, 2);
}

TEST(Statistics, IntervalOfNoSamplesIsNothing) {
  const Estimate estimate = median_with_interval({});
  EXPECT_EQ(estimate.value, 0);
  EXPECT_EQ(relative_half_width(estimate), 0);
}

TEST(Statistics, IntervalOfIdenticalSamplesHasNoWidth) {
  const Estimate estimate = median_with_interval(std::vector<double>(30, 0.5));
  EXPECT_EQ(estimate.low, 0.5);
  EXPECT_EQ(estimate.high, 0.5);
}

TEST(Statistics, OneOutlierMovesNothing) {
  std::vector<double> samples = testing::noisy(31, 1e-3, 0.001, 1);
  const Estimate before = median_with_interval(samples);
  samples.back() = 1e6;
  const Estimate after = median_with_interval(samples);
  EXPECT_NEAR(after.value, before.value, 2e-6);
  EXPECT_LT(after.high, 1.01e-3);
}

// The promise itself: over many streams whose true median is known, 95 % of the intervals hold it.
TEST(Statistics, IntervalCoversTheTrueMedianOfHeavyTails) {
  int covered = 0;
  constexpr int kStreams = 2000;
  for (int i = 0; i < kStreams; ++i) {
    const Estimate estimate = median_with_interval(testing::heavy_tailed(40, 1e-3, static_cast<std::uint64_t>(i)));
    const double truth = 1e-3 * testing::kHeavyTailedMedian;
    covered += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
  }
  EXPECT_GE(covered, kStreams * 94 / 100);  // the ranks are whole numbers: somewhat more than 95 % in truth
}

// Half the samples in either hump: the median may lie in either, and the interval says so.
TEST(Statistics, IntervalOfTwoHumpsSpansThem) {
  const Estimate estimate = median_with_interval(testing::two_humps(60, 1e-3, 1.3e-3, 7));
  EXPECT_LT(estimate.low, 1.05e-3);
  EXPECT_GT(estimate.high, 1.25e-3);
}

TEST(Statistics, DriftCommonToBothIsNotInTheRatio) {
  const std::vector<double> drift = testing::drifting(200, 1.0, 1.5);  // a device that heats up and slows by half
  std::vector<double> mine = testing::noisy(200, 2.0e-3, 0.001, 2);
  std::vector<double> reference = testing::noisy(200, 1.0e-3, 0.001, 3);
  for (std::size_t i = 0; i < drift.size(); ++i) {
    mine[i] *= drift[i];
    reference[i] *= drift[i];
  }
  const Estimate ratio = median_with_interval(paired_ratios(mine, reference));
  EXPECT_NEAR(ratio.value, 2, 0.002);
  EXPECT_LT(relative_half_width(ratio), 0.001);
  EXPECT_GT(relative_half_width(median_with_interval(mine)), 0.02);  // each alone is blurred by it
}

TEST(Statistics, RoundsInWhichOneSideIsMissingHaveNoRatio) {
  EXPECT_EQ(paired_ratios({2, 0, 6, 8}, {1, 5, 0, 2}), (std::vector<double>{2, 4}));
  EXPECT_TRUE(paired_ratios({1}, {}).empty());
  EXPECT_EQ(counted({1, 0, 2}), (std::vector<double>{1, 2}));
}

TEST(Statistics, IntervalIsNotNarrowerThanWhatCanBeResolved) {
  const Estimate widened = at_least_as_wide({2, 2, 2}, 0.01);
  EXPECT_DOUBLE_EQ(widened.low, 1.98);
  EXPECT_DOUBLE_EQ(widened.high, 2.02);
  const Estimate wide = at_least_as_wide({2, 1, 3}, 0.01);
  EXPECT_EQ(wide.low, 1);
  EXPECT_EQ(wide.high, 3);
}

}  // namespace
}  // namespace lanewise::measure
