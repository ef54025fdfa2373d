// Which samples count, and whom two clocks convict.
#include "harness/measure/sample.h"

#include <gtest/gtest.h>

namespace lanewise::measure {
namespace {

std::vector<Sample> calls(double seconds, double event_seconds) {
  return std::vector<Sample>(20, Sample{seconds, event_seconds, 0, 0, 0, 0});
}

TEST(Sample, ThrottledIsBelowThreeQuartersOfTheDefaultClock) {
  EXPECT_FALSE(is_throttled({1, 1, 1500, 0, 0, 0}, 2000));
  EXPECT_TRUE(is_throttled({1, 1, 1499, 0, 0, 0}, 2000));
}

TEST(Sample, UnknownClockThrottlesNothing) {
  EXPECT_FALSE(is_throttled({1, 1, 0, 0, 0, 0}, 2000));
  EXPECT_FALSE(is_throttled({1, 1, 300, 0, 0, 0}, 0));
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

// Three that differ as they do on a machine at rest.
std::vector<Sample> around(double ready_seconds, double settling_seconds) {
  std::vector<Sample> samples;
  for (const double spread : {0.97, 1.0, 1.03})
    samples.push_back({1e-3, 1e-3, 0, 0, spread * ready_seconds, spread * settling_seconds});
  return samples;
}

TEST(Sample, EntriesThatTakeAsLongAsTheReferenceAroundTheirCallsDoNothingThere) {
  EXPECT_EQ(work_off_the_clock(around(250e-6, 160e-6), around(250e-6, 160e-6)), "");
  EXPECT_EQ(work_off_the_clock(around(310e-6, 168e-6), around(250e-6, 160e-6)), "");
  EXPECT_EQ(work_off_the_clock(around(100e-6, 50e-6), around(250e-6, 160e-6)), "");
}

TEST(Sample, WorkBeforeTheClockStartsShows) {
  const std::string sentence = work_off_the_clock(around(0.5e-3, 160e-6), around(0.25e-3, 160e-6));
  EXPECT_NE(sentence.find("0.500 ms to be ready"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("0.250 ms"), std::string::npos) << sentence;
}

TEST(Sample, WorkAfterItHasStoppedShows) {
  const std::string sentence = work_off_the_clock(around(250e-6, 0.228e-3), around(250e-6, 0.160e-3));
  EXPECT_NE(sentence.find("0.228 ms to turn"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("0.160 ms"), std::string::npos) << sentence;
}

TEST(Sample, WithoutAReferenceNobodyKnowsWhatIsUsual) {
  EXPECT_EQ(work_off_the_clock(around(1, 1), {}), "");
  EXPECT_EQ(work_off_the_clock(around(1, 1), calls(1e-3, 1e-3)), "");
  EXPECT_EQ(work_off_the_clock(calls(1e-3, 1e-3), around(1e-6, 1e-6)), "");
}

}  // namespace
}  // namespace lanewise::measure
