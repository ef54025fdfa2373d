// What comes of samples that were written down by hand.
#include "harness/runner/timing/entry_times.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

constexpr double kRoundTrip = 0.1e-3;
constexpr unsigned kDefaultClock = 2000;

SampleContext context() {
  SampleContext context;
  context.empty_round_trip = kRoundTrip;
  context.default_clock = kDefaultClock;
  return context;
}

/// A call of so many seconds, as the clock tells it.
measure::Sample call(double seconds, unsigned clock = kDefaultClock) {
  return {seconds + kRoundTrip, seconds, clock, 0};
}

EntrySamples entry(TimedRole role, std::vector<measure::Sample> samples) { return {role, std::move(samples), "", ""}; }

TEST(EntryTimes, EmptyRoundTripIsTakenOff) {
  const auto alone = entry(TimedRole::kSubmission, std::vector<measure::Sample>(9, call(2e-3)));
  const EntryTimes times = times_of(alone, nullptr, context());
  EXPECT_NEAR(times.time.milliseconds, 2, 1e-9);
  EXPECT_EQ(times.ratio.milliseconds, 0);
  EXPECT_EQ(times.samples, 9);
}

// A device that gets too hot: from the sixth round on everything takes twice as long, first for the one, then for both.
TEST(EntryTimes, ThrottledSamplesCountNeitherForTimesNorForRatios) {
  const auto low = [](double seconds) { return call(2 * seconds, kDefaultClock / 2); };
  const auto reference = entry(TimedRole::kReference, {call(1e-3), call(1e-3), call(1e-3), call(1e-3), call(1e-3),
                                                       call(1e-3), call(1e-3), low(1e-3), low(1e-3), low(1e-3)});
  const auto submission = entry(TimedRole::kSubmission, {call(3e-3), call(3e-3), call(3e-3), call(3e-3), call(3e-3),
                                                         low(3e-3), low(3e-3), low(3e-3), low(3e-3), low(3e-3)});
  const EntryTimes times = times_of(submission, &reference, context());
  EXPECT_EQ(times.samples, 5);
  EXPECT_EQ(times.discarded, 5);
  EXPECT_NEAR(times.time.milliseconds, 3, 1e-9);
  EXPECT_NEAR(times.ratio.milliseconds, 3, 1e-9);
  EXPECT_NEAR(times.ratio.high, 3 * (1 + kLeastHalfWidth), 1e-9);
  EXPECT_NEAR(times.ratio_quartiles.least, 3, 1e-9);
  EXPECT_NEAR(times.ratio_quartiles.third, 3, 1e-9);
}

TEST(EntryTimes, NothingButThrottledSamplesIsNoTime) {
  const auto hot = entry(TimedRole::kSubmission, std::vector<measure::Sample>(9, call(1e-3, 900)));
  const EntryTimes times = times_of(hot, nullptr, context());
  EXPECT_EQ(times.time.milliseconds, 0);
  EXPECT_EQ(times.discarded, 9);
  EXPECT_NE(times.trouble.find("of 2,000 MHz"), std::string::npos) << times.trouble;
}

TEST(EntryTimes, RoundsWithoutItAreNoSamples) {
  const auto baseline = entry(TimedRole::kBaseline, {call(8e-3), {}, {}, call(8e-3), {}, {}});
  const auto reference = entry(TimedRole::kReference, std::vector<measure::Sample>(6, call(1e-3)));
  const EntryTimes times = times_of(baseline, &reference, context());
  EXPECT_EQ(times.samples, 2);
  EXPECT_EQ(times.discarded, 0);
  EXPECT_NEAR(times.ratio.milliseconds, 8, 1e-9);
}

TEST(EntryTimes, NoSamplesAtAllIsSaid) {
  EXPECT_NE(times_of(entry(TimedRole::kPeer, {}), nullptr, context()).trouble, "");
}

TEST(EntryTimes, TroubleLeavesNoTime) {
  auto broken = entry(TimedRole::kSubmission, std::vector<measure::Sample>(9, call(1e-3)));
  broken.trouble = "in timing round 10: it broke";
  const EntryTimes times = times_of(broken, nullptr, context());
  EXPECT_EQ(times.trouble, broken.trouble);
  EXPECT_EQ(times.time.milliseconds, 0);
}

TEST(EntryTimes, RatioToAReferenceInTroubleIsNotKnown) {
  const auto submission = entry(TimedRole::kSubmission, std::vector<measure::Sample>(9, call(1e-3)));
  auto reference = entry(TimedRole::kReference, std::vector<measure::Sample>(9, call(1e-3)));
  reference.trouble = "it broke";
  EXPECT_EQ(times_of(submission, &reference, context()).ratio.milliseconds, 0);
}

TEST(EntryTimes, DisagreementJoinsWhatIsToBeLookedAt) {
  auto fakes = entry(TimedRole::kSubmission, std::vector<measure::Sample>(9, {5e-3, 1e-3, kDefaultClock, 0}));
  fakes.review = "its process has 2 threads";
  const EntryTimes times = times_of(fakes, nullptr, context());
  EXPECT_EQ(times.review.find("its process has 2 threads; the runner's clock says 4.900 ms"), 0U) << times.review;
  EXPECT_NEAR(times.time.milliseconds, 4.9, 1e-9);
}

}  // namespace
}  // namespace lanewise
