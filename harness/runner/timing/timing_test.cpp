// What comes of samples whose truth is known, and that nobody is told a time whose outputs are not right.
#include "harness/runner/timing/timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "harness/measure/testing/streams.h"

namespace lanewise {
namespace {

namespace streams = measure::testing;

constexpr std::int64_t kElements = 64;
constexpr double kWakeUp = 20e-6;
constexpr int kWarmUpCalls = 1;  // that is what a warm-up of no duration comes to

Task doubling_task() {
  Task task;
  task.name = "doubles";
  task.make = [](const Parameters&, std::uint64_t seed) {
    Problem problem;
    Array a = make_array<std::int64_t>("a", {kElements});
    for (std::int64_t i = 0; i < kElements; ++i)
      elements<std::int64_t>(a)[i] = static_cast<std::int64_t>(seed >> 8) + i;
    problem.inputs = {a};
    problem.outputs = {ArrayShape{"b", DType::kInt64, {kElements}}};
    problem.scalars = {{"n", kElements}};
    return problem;
  };
  task.oracle = [](const Problem& problem) {
    Array b = problem.inputs[0];
    b.name = "b";
    for (std::int64_t i = 0; i < kElements; ++i) elements<std::int64_t>(b)[i] *= 2;
    return std::vector<Array>{b};
  };
  task.judge = [](const Problem&, const std::vector<Array>& expected, const std::vector<Array>& got) {
    return judge_exact(expected, got);
  };
  task.work = [](const Problem&) { return Work{1e8, 1e3}; };
  return task;
}

/// A process that need not be: it takes as long as it says, and is right unless told otherwise.
struct MadeUp {
  std::function<double(int call)> seconds = [](int) { return 1e-3; };
  double events = 1;  ///< as a share of the truth
  std::function<void(int call, const Problem&, TimedSample&)> changes;
  int breaks_in = -1;  ///< call
};

class MadeUpCase : public TimedCase {
 public:
  MadeUpCase(MadeUp made_up, std::vector<std::string>& order, std::string name, std::set<std::int64_t>& seen,
             std::string bus_id)
      : made_up_(std::move(made_up)), order_(order), name_(std::move(name)), seen_(seen) {
    device_.name = "made-up device";
    device_.bus_id = std::move(bus_id);
  }

  TimedSample sample(const Problem& problem) override {
    order_.push_back(name_);
    seen_.insert(elements<std::int64_t>(problem.inputs[0])[0]);
    TimedSample sample;
    const double seconds = made_up_.seconds(call_);
    sample.seconds = seconds + kWakeUp;
    sample.event_seconds = made_up_.events * seconds;
    sample.observation.ending = RunEnding::kReturned;
    sample.observation.outputs = doubling_task().oracle(problem);
    sample.observation.has_outputs = true;
    if (made_up_.changes) made_up_.changes(call_, problem, sample);
    if (call_++ == made_up_.breaks_in) {
      sample.observation = {};
      sample.observation.ending = RunEnding::kExited;
      is_usable_ = false;
    }
    return sample;
  }
  double empty_round_trip() override { return kWakeUp; }
  double copy_seconds(std::uint64_t bytes) override { return static_cast<double>(bytes) / 1e12; }
  bool is_usable() const override { return is_usable_; }
  const DeviceInfo& device() const override { return device_; }

 private:
  MadeUp made_up_;
  std::vector<std::string>& order_;
  std::string name_;
  std::set<std::int64_t>& seen_;
  DeviceInfo device_;
  int call_ = 0;
  bool is_usable_ = true;
};

MadeUp takes(std::function<double(int)> seconds) {
  MadeUp made_up;
  made_up.seconds = std::move(seconds);
  return made_up;
}

std::function<double(int)> around(double value, double share, std::uint64_t seed) {
  return [value, share, random = streams::Uniform(seed)](int) mutable {
    return value * (1 + share * (2 * random.next() - 1));
  };
}

class TimingTest : public ::testing::Test {
 protected:
  void add(TimedRole role, const std::string& name, MadeUp made_up) {
    request_.entries.push_back({role, name, {}});
    made_up_.push_back(std::move(made_up));
  }

  TimingResult time() {
    case_file_.name = "made up";
    request_.task = &task_;
    request_.case_file = &case_file_;
    request_.lab = "lab";
    request_.seed = 1;
    request_.setup.warm_up = 0;
    request_.setup.rule.shortest = 0;
    if (request_.setup.clock_library == "libnvidia-ml.so.1") request_.setup.clock_library = "/nonexistent";
    request_.setup.open = [this](const TimedEntry& entry, const Problem&) -> Expected<std::unique_ptr<TimedCase>> {
      const auto index = static_cast<std::size_t>(&entry - request_.entries.data());
      if (entry.name == "cannot be opened") return Failure{"cannot be opened"};
      return std::unique_ptr<TimedCase>(
          std::make_unique<MadeUpCase>(made_up_[index], order_, entry.name, seen_, bus_id_));
    };
    auto result = time_entries(request_);
    EXPECT_TRUE(result) << (result ? "" : result.sentence());
    return result ? *result : TimingResult{};
  }

  Task task_ = doubling_task();
  CaseFile case_file_;
  TimingRequest request_;
  std::vector<MadeUp> made_up_;
  std::vector<std::string> order_;
  std::set<std::int64_t> seen_;  // what the first element of inputs was
  std::string bus_id_;
};

TEST_F(TimingTest, QuietStreamsGiveTimesAndRatios) {
  add(TimedRole::kBaseline, "baseline", takes(around(10e-3, 0.001, 1)));
  add(TimedRole::kReference, "reference", takes(around(1e-3, 0.001, 2)));
  add(TimedRole::kSubmission, "submission", takes(around(2e-3, 0.001, 3)));
  const TimingResult result = time();
  ASSERT_EQ(result.entries.size(), 3U);
  for (const EntryTimes& each : result.entries) {
    EXPECT_EQ(each.trouble, "");
    EXPECT_EQ(each.review, "");
    EXPECT_LE(each.time.low, each.time.milliseconds);
    EXPECT_GE(each.time.high, each.time.milliseconds);
  }
  EXPECT_NEAR(result.entries[0].ratio.milliseconds, 10, 0.05);
  EXPECT_NEAR(result.entries[1].time.milliseconds, 1, 0.005);  // the way there and back is not in it
  EXPECT_EQ(result.entries[1].ratio.milliseconds, 1);
  EXPECT_NEAR(result.entries[2].ratio.milliseconds, 2, 0.01);
  EXPECT_EQ(result.entries[2].samples, request_.setup.rule.fewest);
  EXPECT_TRUE(result.is_narrow);
  EXPECT_EQ(result.device, "made-up device");
  EXPECT_EQ(result.sizes, "n = 64");
  EXPECT_NEAR(result.copy_rate, 2e12, 1e9);
  EXPECT_EQ(result.work.bytes, 1e8);
}

TEST_F(TimingTest, EveryRoundHasInputsOfItsOwnAndAllEntriesShareThem) {
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", {});
  const TimingResult result = time();
  EXPECT_EQ(seen_.size(), static_cast<std::size_t>(result.rounds) + 1);  // and those of the warm-up
}

TEST_F(TimingTest, EntriesTakeTurns) {
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", {});
  const TimingResult result = time();
  ASSERT_GE(order_.size(), 2U * static_cast<std::size_t>(result.rounds));
  int submission_first = 0;
  for (std::size_t i = order_.size() - 2U * static_cast<std::size_t>(result.rounds); i < order_.size(); i += 2) {
    EXPECT_NE(order_[i], order_[i + 1]);
    submission_first += order_[i] == "submission" ? 1 : 0;
  }
  EXPECT_NEAR(submission_first, result.rounds / 2.0, 1);
}

TEST_F(TimingTest, DriftThatBefallsAllIsNotInTheRatio) {
  // Both slow down by half, sample by sample; the interval of the times is wide, that of the ratio is not.
  const auto drifting = [](double value) { return [value](int call) { return value * (1 + 0.01 * call); }; };
  add(TimedRole::kReference, "reference", takes(drifting(1e-3)));
  add(TimedRole::kSubmission, "submission", takes(drifting(1.5e-3)));
  const TimingResult result = time();
  EXPECT_NEAR(result.entries[1].ratio.milliseconds, 1.5, 0.005);
  EXPECT_TRUE(result.is_narrow);
  EXPECT_GT(result.entries[1].time.high - result.entries[1].time.low, 0.05 * result.entries[1].time.milliseconds);
}

TEST_F(TimingTest, NoiseTakesMoreRounds) {
  add(TimedRole::kReference, "reference", takes(around(1e-3, 0.05, 2)));
  add(TimedRole::kSubmission, "submission", takes(around(1e-3, 0.05, 3)));
  const TimingResult result = time();
  EXPECT_GT(result.rounds, request_.setup.rule.fewest);
  EXPECT_TRUE(result.is_narrow);
  EXPECT_LE(result.entries[1].ratio.low, 1);
  EXPECT_GE(result.entries[1].ratio.high, 1);
}

TEST_F(TimingTest, TwoHumpsEndWithTimeAndAWideInterval) {
  request_.most = std::chrono::milliseconds(300);
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", takes([](int call) { return call % 2 == 0 ? 1e-3 : 1.3e-3; }));
  const TimingResult result = time();
  EXPECT_FALSE(result.is_narrow);
  EXPECT_LT(result.entries[1].ratio.low, 1.01);
  EXPECT_GT(result.entries[1].ratio.high, 1.29);
}

TEST_F(TimingTest, OutliersMoveNothing) {
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", takes([](int call) { return call % 10 == 9 ? 0.5 : 1.5e-3; }));
  EXPECT_NEAR(time().entries[1].ratio.milliseconds, 1.5, 0.005);
}

TEST_F(TimingTest, ExpensiveBaselineTakesPartLessOften) {
  // Cost is what a sample takes by this process's clock: this one really takes its time.
  MadeUp slow;
  slow.changes = [](int, const Problem&, TimedSample&) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
  };
  add(TimedRole::kBaseline, "baseline", slow);
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", {});
  const TimingResult result = time();
  EXPECT_GE(result.entries[0].samples, 1);
  EXPECT_LT(result.entries[0].samples, result.rounds / 2);
  EXPECT_EQ(result.entries[1].samples, result.rounds);
}

TEST_F(TimingTest, RightOnlyOnTheFirstCallsHasNoTime) {
  MadeUp cheat;
  cheat.changes = [](int call, const Problem&, TimedSample& sample) {
    if (call > 3) std::fill_n(sample.observation.outputs[0].bytes.begin(), 8, kPoison);
  };
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", cheat);
  const TimingResult result = time();
  EXPECT_EQ(result.entries[1].time.milliseconds, 0);
  EXPECT_NE(result.entries[1].trouble.find(": b[0] was never written"), std::string::npos) << result.entries[1].trouble;
  EXPECT_EQ(result.entries[0].trouble, "");
}

TEST_F(TimingTest, AnswerOfTheRoundBeforeIsWrong) {
  MadeUp cheat;
  cheat.changes = [last = std::vector<Array>()](int, const Problem&, TimedSample& sample) mutable {
    auto outputs = sample.observation.outputs;
    if (!last.empty()) sample.observation.outputs = last;
    last = std::move(outputs);
  };
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", cheat);
  EXPECT_NE(time().entries[1].trouble.find("in timing round 1"), std::string::npos);
}

TEST_F(TimingTest, WrongFromTheStartIsFoundByTheOracle) {
  MadeUp wrong;
  wrong.changes = [](int, const Problem&, TimedSample& sample) {
    elements<std::int64_t>(sample.observation.outputs[0])[7] += 1;
  };
  add(TimedRole::kSubmission, "submission", wrong);
  const TimingResult result = time();
  EXPECT_NE(result.entries[0].trouble.find("during warm-up: b[7] is"), std::string::npos) << result.entries[0].trouble;
  EXPECT_EQ(result.rounds, 0);
}

TEST_F(TimingTest, WrongReferenceIsNotTheSubmissionsFault) {
  MadeUp wrong;
  wrong.changes = [](int call, const Problem&, TimedSample& sample) {
    if (call > 5) elements<std::int64_t>(sample.observation.outputs[0])[7] += 1;
  };
  add(TimedRole::kReference, "reference", wrong);
  add(TimedRole::kSubmission, "submission", {});
  const TimingResult result = time();
  EXPECT_NE(result.entries[0].trouble.find(": b[7] is"), std::string::npos) << result.entries[0].trouble;
  EXPECT_EQ(result.entries[1].trouble, "");
  EXPECT_GT(result.entries[1].time.milliseconds, 0);
  EXPECT_EQ(result.entries[1].ratio.milliseconds, 0);
}

TEST_F(TimingTest, BreakingInRoundSevenIsSaidAndLeavesTheOthersTheirTimes) {
  MadeUp breaks;
  breaks.breaks_in = kWarmUpCalls + 6;
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kPeer, "peer", breaks);
  add(TimedRole::kSubmission, "submission", {});
  const TimingResult result = time();
  EXPECT_NE(result.entries[1].trouble.find("in timing round 7"), std::string::npos) << result.entries[1].trouble;
  EXPECT_EQ(result.entries[1].time.milliseconds, 0);
  EXPECT_NEAR(result.entries[2].ratio.milliseconds, 1, 0.001);
}

TEST_F(TimingTest, BrokenSubmissionEndsTheTimingAtOnce) {
  MadeUp breaks;
  breaks.breaks_in = kWarmUpCalls + 6;
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", breaks);
  EXPECT_EQ(time().rounds, 7);
}

TEST_F(TimingTest, BytesOutsideTheArraysAndChangedInputsAreTrouble) {
  MadeUp strays;
  strays.changes = [](int call, const Problem&, TimedSample& sample) {
    if (call == 5) sample.observation.guards.push_back({"d_b", true, 8, kElements});
  };
  MadeUp changes;
  changes.changes = [](int, const Problem&, TimedSample& sample) { sample.observation.changed_inputs = {"d_a"}; };
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kPeer, "strays", strays);
  add(TimedRole::kPeer, "changes", changes);
  const TimingResult result = time();
  EXPECT_NE(result.entries[1].trouble.find("past the end of d_b"), std::string::npos) << result.entries[1].trouble;
  EXPECT_NE(result.entries[2].trouble.find("d_a"), std::string::npos) << result.entries[2].trouble;
}

TEST_F(TimingTest, EventsThatDisagreeAreForAHumanToLookAt) {
  MadeUp fakes;
  fakes.events = 0.01;
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", fakes);
  const TimingResult result = time();
  EXPECT_NE(result.entries[1].review.find("1.000 ms"), std::string::npos) << result.entries[1].review;
  EXPECT_NE(result.entries[1].review.find("0.010 ms"), std::string::npos) << result.entries[1].review;
  EXPECT_NEAR(result.entries[1].time.milliseconds, 1, 0.001);  // and the runner's clock counts
  EXPECT_EQ(result.entries[0].review, "");
}

TEST_F(TimingTest, WhatIsSeenBetweenCallsIsForAHumanToLookAt) {
  MadeUp threads;
  threads.changes = [](int call, const Problem&, TimedSample& sample) {
    if (call == kWarmUpCalls + 5) sample.review = "its process has 2 threads";
  };
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", threads);
  EXPECT_EQ(time().entries[1].review, "in timing round 6: its process has 2 threads");
}

TEST_F(TimingTest, FasterThanTheDeviceIsRefused) {
  task_.work = [](const Problem&) { return Work{1e10, 0}; };  // at 2 TB/s copied: 3.6 ms at the very least
  add(TimedRole::kReference, "reference", takes(around(5e-3, 0.001, 1)));
  add(TimedRole::kSubmission, "submission", takes(around(1e-3, 0.001, 2)));
  const TimingResult result = time();
  EXPECT_EQ(result.entries[0].trouble, "");
  EXPECT_NE(result.entries[1].trouble.find("is less than the"), std::string::npos) << result.entries[1].trouble;
  EXPECT_EQ(result.entries[1].time.milliseconds, 0);
}

TEST_F(TimingTest, SlowFirstCallsChangeNothing) {
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", takes([](int call) { return call < 8 ? 0.1 : 2e-3; }));
  EXPECT_NEAR(time().entries[1].ratio.milliseconds, 2, 0.01);
}

TEST_F(TimingTest, SamplesAtALowClockAreDiscarded) {
  request_.setup.clock_library = FAKE_NVML;  // below three quarters in four looks of ten
  // While the clock is low, everything takes longer; the made-up library looks once a sample.
  add(TimedRole::kReference, "reference", {});
  add(TimedRole::kSubmission, "submission", {});
  const TimingResult result = time();
  const EntryTimes& submission = result.entries[1];
  EXPECT_GT(submission.discarded, 0);
  EXPECT_EQ(submission.samples + submission.discarded, result.rounds);
  EXPECT_EQ(submission.trouble, "");
  EXPECT_NE(result.clocks.find("MHz"), std::string::npos) << result.clocks;
  EXPECT_EQ(result.driver_version, "580.1.2");
}

// Of ten looks, one is below three quarters of their median; none would be near enough to the clock the board can reach
// at most.
TEST_F(TimingTest, BoardWithoutADefaultClockIsHeldAgainstWhatItMostlyRanAt) {
  request_.setup.clock_library = FAKE_NVML;
  bus_id_ = "00000000:1C:00.0";
  add(TimedRole::kReference, "reference", {});
  const EntryTimes reference = time().entries[0];
  EXPECT_GT(reference.discarded, 0);
  EXPECT_GT(reference.samples, 6 * reference.discarded);
}

// The promises that grading rests on, with noise of a few percent on top of a clock that drifts by a tenth.
// Enough for a share of them to mean something; under sanitizers, which make each ten times as long, a few.
constexpr int kPairs = LANEWISE_TIMED_PAIRS;

class TimingPromises : public TimingTest {
 protected:
  // Ratios of two submissions that take `second` times as long as each other, each timed in a run of its own.
  std::pair<TimeEstimate, TimeEstimate> two_runs(double second, std::uint64_t seed) {
    TimeEstimate ratios[2];
    for (std::uint64_t run = 0; run < 2; ++run) {
      const auto drifting = [](const std::function<double(int)>& seconds) {
        return takes([seconds](int call) { return seconds(call) * (1 + 0.1 * std::sin(0.05 * call)); });
      };
      request_.entries.clear();
      made_up_.clear();
      add(TimedRole::kReference, "reference", drifting(around(1e-3, 0.02, 4 * seed + 2 * run)));
      add(TimedRole::kSubmission, "submission",
          drifting(around(1.5e-3 * (run == 0 ? 1 : second), 0.02, 4 * seed + 2 * run + 1)));
      ratios[run] = time().entries[1].ratio;
    }
    return {ratios[0], ratios[1]};
  }
};

TEST_F(TimingPromises, IntervalsOfIdenticalEntriesOverlap) {
  int overlapping = 0;
  for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
    const auto [first, second] = two_runs(1, pair);
    overlapping += first.low <= second.high && second.low <= first.high ? 1 : 0;
  }
  EXPECT_GE(overlapping, kPairs - 1);
}

TEST_F(TimingPromises, TwoPercentSlowerIsToldApart) {
  int told_apart = 0;
  for (std::uint64_t pair = 0; pair < kPairs; ++pair) {
    const auto [first, second] = two_runs(1.02, 1000 + pair);
    told_apart += first.high < second.low ? 1 : 0;
  }
  EXPECT_GE(told_apart, kPairs - 2);
}

TEST_F(TimingPromises, RatioOfTheSameSubmissionVariesByLessThanAPercent) {
  double least = 1e9;
  double most = 0;
  for (std::uint64_t run = 0; run < 5; ++run) {
    const auto [first, second] = two_runs(1, 2000 + run);
    least = std::min({least, first.milliseconds, second.milliseconds});
    most = std::max({most, first.milliseconds, second.milliseconds});
  }
  EXPECT_LT(most / least, 1.01);
}

TEST_F(TimingTest, WithoutAReferenceThereIsATimeButNoRatio) {
  add(TimedRole::kSubmission, "submission", takes(around(1e-3, 0.001, 1)));
  const TimingResult result = time();
  EXPECT_NEAR(result.entries[0].time.milliseconds, 1, 0.005);
  EXPECT_EQ(result.entries[0].ratio.milliseconds, 0);
  EXPECT_TRUE(result.is_narrow);
}

TEST_F(TimingTest, EntryThatCannotBeOpenedIsSaidAndTheOthersAreTimed) {
  add(TimedRole::kPeer, "cannot be opened", {});
  add(TimedRole::kReference, "reference", {});
  const TimingResult result = time();
  EXPECT_EQ(result.entries[0].trouble, "cannot be opened");
  EXPECT_NEAR(result.entries[1].time.milliseconds, 1, 0.005);
}

TEST_F(TimingTest, NothingToTimeIsAFailure) {
  request_.task = &task_;
  request_.case_file = &case_file_;
  const auto result = time_entries(request_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.sentence(), "there is nothing to time");
}

TEST_F(TimingTest, MissingDataIsAFailureWithItsSentence) {
  task_.make = [](const Parameters&, std::uint64_t) { return MissingData{"the picture is not there"}; };
  request_.task = &task_;
  request_.case_file = &case_file_;
  const auto result = time_entries(request_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.sentence(), "the picture is not there");
}

TEST_F(TimingTest, ProgressIsTold) {
  std::vector<std::string> told;
  request_.progress = [&told](const std::string& text) { told.push_back(text); };
  add(TimedRole::kReference, "reference", {});
  time();
  ASSERT_FALSE(told.empty());
  for (const std::string& each : told) EXPECT_EQ(each.rfind("timing: ", 0), 0U) << each;
}

}  // namespace
}  // namespace lanewise
