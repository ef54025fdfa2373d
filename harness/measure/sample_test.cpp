// Which samples count, and whom two clocks convict.
#include "harness/measure/sample.h"

#include <gtest/gtest.h>

namespace lanewise::measure {
namespace {

std::vector<Sample> calls(double seconds, double event_seconds) {
  return std::vector<Sample>(20, Sample{seconds, event_seconds, 0, 0});
}

TEST(Sample, ThrottledIsBelowThreeQuartersOfTheDefaultClock) {
  EXPECT_FALSE(is_throttled({1, 1, 1500, 0}, 2000));
  EXPECT_TRUE(is_throttled({1, 1, 1499, 0}, 2000));
}

TEST(Sample, UnknownClockThrottlesNothing) {
  EXPECT_FALSE(is_throttled({1, 1, 0, 0}, 2000));
  EXPECT_FALSE(is_throttled({1, 1, 300, 0}, 0));
}

TEST(Sample, LaunchLatencyIsNoDisagreement) {
  EXPECT_EQ(disagreement(calls(0.3e-3, 0.27e-3)), "");
  EXPECT_EQ(disagreement(calls(5e-6, 3e-6)), "");
  EXPECT_EQ(disagreement(calls(10e-3, 9.97e-3)), "");
}

TEST(Sample, EventsThatTellOfATenthOfTheTimeDisagree) {
  const std::string sentence = disagreement(calls(0.5e-3, 0.05e-3));
  EXPECT_NE(sentence.find("0.500 ms"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("0.050 ms"), std::string::npos) << sentence;
}

TEST(Sample, EventsThatTellOfMoreThanTheClockDisagree) { EXPECT_NE(disagreement(calls(1e-3, 3e-3)), ""); }

TEST(Sample, HalfTheWorkOnAStreamThatEventsDoNotSeeDisagrees) { EXPECT_NE(disagreement(calls(1e-3, 0.5e-3)), ""); }

TEST(Sample, WithoutEventsNothingDisagrees) {
  EXPECT_EQ(disagreement(calls(1e-3, 0)), "");
  EXPECT_EQ(disagreement({}), "");
}

// A machine that is shared stops a process now and then.
TEST(Sample, OneHiccupIsNoDisagreement) {
  std::vector<Sample> samples = calls(1e-3, 0.99e-3);
  samples[3].seconds = 0.1;
  EXPECT_EQ(disagreement(samples), "");
}

}  // namespace
}  // namespace lanewise::measure
