// Sampling ends when more of it would change nothing, and not before.
#include "harness/measure/stopping_rule.h"

#include <gtest/gtest.h>

#include "harness/measure/testing/streams.h"

namespace lanewise::measure {
namespace {

using testing::noisy;

const StoppingRule kRule;

// How many rounds a stream takes, at `seconds` each.
int rounds_until_stop(const std::vector<double>& stream, double seconds, Stop& stop) {
  for (std::size_t taken = 1; taken <= stream.size(); ++taken) {
    const auto end = stream.begin() + static_cast<std::ptrdiff_t>(taken);
    stop = should_stop(kRule, {{stream.begin(), end}}, static_cast<double>(taken) * seconds);
    if (stop != Stop::kNotYet) return static_cast<int>(taken);
  }
  return -1;
}

TEST(StoppingRule, QuietStreamEndsWithTheFewestSamples) {
  Stop stop = Stop::kNotYet;
  EXPECT_EQ(rounds_until_stop(noisy(100, 1.5, 0.001, 1), 0.1, stop), kRule.fewest);
  EXPECT_EQ(stop, Stop::kNarrow);
}

TEST(StoppingRule, ShortSamplesAreTakenForTheShortestTime) {
  Stop stop = Stop::kNotYet;
  EXPECT_EQ(rounds_until_stop(std::vector<double>(1000, 1.5), 0.001, stop), 500);
  EXPECT_EQ(stop, Stop::kNarrow);
}

TEST(StoppingRule, NoisierStreamTakesMoreSamples) {
  Stop stop = Stop::kNotYet;
  EXPECT_GT(rounds_until_stop(noisy(1000, 1.5, 0.05, 1), 0.01, stop), 60);
  EXPECT_EQ(stop, Stop::kNarrow);
}

TEST(StoppingRule, TwoHumpsNeverNarrowAndEndWithTime) {
  Stop stop = Stop::kNotYet;
  EXPECT_EQ(rounds_until_stop(testing::two_humps(200, 1, 1.3, 1), 0.1, stop), 120);
  EXPECT_EQ(stop, Stop::kTimeIsUp);
}

TEST(StoppingRule, AllStreamsMustBeNarrow) {
  const std::vector<double> quiet(30, 1.0);
  const std::vector<double> loud = noisy(30, 1, 0.5, 1);
  EXPECT_EQ(should_stop(kRule, {quiet, loud}, 1), Stop::kNotYet);
  EXPECT_EQ(should_stop(kRule, {quiet, {1.0}}, 1), Stop::kNotYet);
  EXPECT_EQ(should_stop(kRule, {quiet, quiet}, 1), Stop::kNarrow);
}

TEST(StoppingRule, RestIsWithinTheLimit) {
  EXPECT_DOUBLE_EQ(expected_rest(kRule, {{}}, 2), kRule.longest - 2);
  EXPECT_NEAR(expected_rest(kRule, {std::vector<double>(10, 1.0)}, 1), 2, 1e-9);  // 20 more samples at 0.1 s
  EXPECT_LE(expected_rest(kRule, {noisy(30, 1, 0.9, 1)}, 11), 1);
  EXPECT_EQ(expected_rest(kRule, {std::vector<double>(60, 1.0)}, 6), 0);
}

}  // namespace
}  // namespace lanewise::measure
