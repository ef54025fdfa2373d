// Every sample is a call on contents never seen before, in memory that stays; whatever breaks the worker ends the case
// and no sample before it.
#include "harness/runner/timing/timed_case.h"

#include <gtest/gtest.h>

#include <numeric>

#include "harness/runner/session/explain.h"
#include "harness/runner/session/gpu_memory.h"

namespace lanewise {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimedLimit(20'000);  // generous: the machine may be busy
constexpr milliseconds kTimedShort(500);
constexpr std::int64_t kTimedElements = 1000;

// n numbers that no other round has.
Problem problem_of_round(int round, Space space, std::int64_t n = kTimedElements) {
  Problem problem;
  problem.space = space;
  Array a = make_array<float>("a", {n});
  std::iota(elements<float>(a), elements<float>(a) + n, static_cast<float>(10'000 * (round + 1)));
  problem.inputs = {a};
  problem.outputs = {ArrayShape{"b", DType::kFloat32, {n}}};
  problem.scalars = {{"n", n}};
  return problem;
}

class TimedCaseTest : public ::testing::TestWithParam<Space> {
 protected:
  void open(const std::string& task, milliseconds limit = kTimedLimit, const char* object = MISBEHAVING) {
    SessionOptions options;
    options.worker = LANEWISE_WORKER;
    options.runtime = HOST_CUDART;
    options.monitors = "none";
    options.patience = kTimedShort;
    auto opened = TimedCase::open(options, object, task, problem_of_round(0, GetParam()), limit);
    sentence_ = opened ? "" : opened.sentence();
    timed_ = opened ? std::move(*opened) : nullptr;
  }

  TimedSample sample(int round, std::int64_t n = kTimedElements) {
    problem_ = problem_of_round(round, GetParam(), n);
    return timed_->sample(problem_);
  }

  bool is_right(const TimedSample& sample) const {
    const CaseObservation& seen = sample.observation;
    return seen.ending == RunEnding::kReturned && seen.has_outputs && seen.outputs.size() == 1 &&
           seen.outputs[0].bytes == problem_.inputs[0].bytes;
  }

  std::unique_ptr<TimedCase> timed_;
  std::string sentence_;
  Problem problem_;
};

INSTANTIATE_TEST_SUITE_P(Spaces, TimedCaseTest, ::testing::Values(Space::kHost, Space::kDevice),
                         [](const auto& space) { return space.param == Space::kHost ? "Host" : "Device"; });

TEST_P(TimedCaseTest, EverySampleSeesContentsOfItsOwn) {
  open("copies");
  ASSERT_TRUE(timed_) << sentence_;
  for (int round = 0; round < 5; ++round) {
    const TimedSample taken = sample(round);
    EXPECT_TRUE(is_right(taken)) << round;
    EXPECT_GT(taken.seconds, 0) << round;
    EXPECT_GT(taken.event_seconds, 0) << round;
    EXPECT_TRUE(taken.observation.guards.empty());
    EXPECT_TRUE(taken.observation.changed_inputs.empty());
    EXPECT_TRUE(taken.review.empty()) << taken.review;
  }
  EXPECT_TRUE(timed_->is_usable());
  EXPECT_EQ(timed_->device().name, "host memory");
}

// As entries of a measurement do.
TEST_P(TimedCaseTest, TwoThatTakeTurnsInTheSameMemoryDoNotMeet) {
  SessionOptions options;
  options.worker = LANEWISE_WORKER;
  options.runtime = HOST_CUDART;
  options.monitors = "none";
  auto memory = GpuMemory::start(options.worker, options.runtime);
  ASSERT_TRUE(memory) << memory.sentence();
  ASSERT_TRUE((*memory)->is_ready()) << (*memory)->trouble();
  options.gpu_memory = *memory;
  std::vector<std::unique_ptr<TimedCase>> entries;
  for (const char* const task : {"copies", "does_nothing", "copies"}) {
    auto opened = TimedCase::open(options, MISBEHAVING, task, problem_of_round(0, GetParam()), kTimedLimit);
    ASSERT_TRUE(opened) << opened.sentence();
    entries.push_back(std::move(*opened));
  }
  for (int round = 0; round < 4; ++round) {
    problem_ = problem_of_round(round, GetParam(), kTimedElements << (3 * round));  // the block has to grow
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const TimedSample taken = entries[i]->sample(problem_);
      EXPECT_EQ(is_right(taken), i != 1) << round << " " << i;
      EXPECT_TRUE(taken.observation.guards.empty());
      EXPECT_TRUE(taken.observation.changed_inputs.empty());
    }
  }
}

TEST_P(TimedCaseTest, OutputsOfTheSampleBeforeAreGone) {
  open("works_once");
  ASSERT_TRUE(timed_) << sentence_;
  EXPECT_TRUE(is_right(sample(0)));
  const TimedSample second = sample(0);
  ASSERT_EQ(second.observation.outputs.size(), 1U);
  for (const std::byte byte : second.observation.outputs[0].bytes) ASSERT_EQ(byte, kPoison);
}

TEST_P(TimedCaseTest, AnswerRememberedByPointerIsWrong) {
  open("remembers_by_pointer");
  ASSERT_TRUE(timed_) << sentence_;
  EXPECT_TRUE(is_right(sample(0)));
  EXPECT_FALSE(is_right(sample(1)));
}

TEST_P(TimedCaseTest, GuardsAreLaidAnew) {
  open("writes_past_the_end");
  ASSERT_TRUE(timed_) << sentence_;
  for (int round = 0; round < 3; ++round) {
    const TimedSample taken = sample(round);
    ASSERT_EQ(taken.observation.guards.size(), 1U) << round;
    EXPECT_EQ(taken.observation.guards[0].bytes, 24U);
  }
}

// Inputs are brought back for every eighth sample only.
TEST_P(TimedCaseTest, ChangedInputIsNoticedAtFirstAndAgain) {
  open("changes_its_input");
  ASSERT_TRUE(timed_) << sentence_;
  std::size_t noticed = 0;
  EXPECT_EQ(sample(0).observation.changed_inputs.size(), 1U);
  for (int round = 1; round < 17; ++round) noticed += sample(round).observation.changed_inputs.size();
  EXPECT_EQ(noticed, 2U);
}

TEST_P(TimedCaseTest, LengthsMayDiffer) {
  open("copies");
  ASSERT_TRUE(timed_) << sentence_;
  for (const std::int64_t n :
       {kTimedElements, kTimedElements - 1, std::int64_t{0}, std::int64_t{100'000}, kTimedElements}) {
    const TimedSample taken = sample(1, n);
    EXPECT_TRUE(is_right(taken)) << n << ": " << explain_ending(taken.observation, 1).sentence;
    EXPECT_TRUE(taken.observation.guards.empty()) << n;
  }
}

TEST_P(TimedCaseTest, LargeArraysAreMovedAndComparedWhole) {
  const std::int64_t n = 5'000'003;  // in several pieces, the last one short
  open("copies");
  ASSERT_TRUE(timed_) << sentence_;
  EXPECT_TRUE(is_right(sample(0, n)));
  EXPECT_TRUE(is_right(sample(1, n)));
  open("changes_its_input");  // the last element
  ASSERT_TRUE(timed_) << sentence_;
  EXPECT_EQ(sample(0, n).observation.changed_inputs.size(), 1U);
}

TEST_P(TimedCaseTest, OtherArraysAreRefused) {
  open("copies");
  ASSERT_TRUE(timed_) << sentence_;
  problem_ = problem_of_round(0, GetParam());
  problem_.outputs[0].dtype = DType::kInt32;
  const TimedSample taken = timed_->sample(problem_);
  EXPECT_EQ(taken.observation.ending, RunEnding::kNotTried);
  EXPECT_NE(taken.observation.sentence.find("must not change"), std::string::npos);
  EXPECT_TRUE(timed_->is_usable());
  EXPECT_TRUE(is_right(sample(1))) << "nothing was tried, so nothing is broken";
}

TEST_P(TimedCaseTest, WhatEndsTheThirdCallSpoilsNoneBefore) {
  const auto ending_of_third = [this](const char* task, milliseconds limit = kTimedLimit) {
    open(task, limit);
    if (!timed_) return RunEnding::kNotTried;
    EXPECT_TRUE(is_right(sample(0))) << task;
    EXPECT_TRUE(is_right(sample(1))) << task;
    const RunEnding ending = sample(2).observation.ending;
    EXPECT_FALSE(timed_->is_usable()) << task;
    EXPECT_EQ(sample(3).observation.ending, RunEnding::kNotTried) << task;
    EXPECT_EQ(timed_->empty_round_trip(), 0) << task;
    return ending;
  };
  EXPECT_EQ(ending_of_third("crashes_in_the_third_call"), RunEnding::kCrashed);
  EXPECT_EQ(ending_of_third("exits_in_the_third_call"), RunEnding::kExited);
  EXPECT_EQ(ending_of_third("loops_in_the_third_call", kTimedShort), RunEnding::kTimedOut);
}

TEST_P(TimedCaseTest, ForgedEarlyAnswerIsNoSample) {
  open("answers_before_it_works");
  ASSERT_TRUE(timed_) << sentence_;
  EXPECT_FALSE(is_right(sample(0)));
  EXPECT_FALSE(timed_->is_usable());
}

TEST_P(TimedCaseTest, ThreadCannotBeStarted) {
  open("starts_a_thread");
  ASSERT_TRUE(timed_) << sentence_;
  const TimedSample taken = sample(0);
  EXPECT_EQ(taken.observation.ending, RunEnding::kThrew);
  ASSERT_EQ(taken.observation.refused.size(), 1U);
  EXPECT_EQ(taken.observation.refused[0].purpose, "start a thread");
}

TEST_P(TimedCaseTest, EmptyRoundTripAndCopyTakeTime) {
  open("copies");
  ASSERT_TRUE(timed_) << sentence_;
  EXPECT_GT(timed_->empty_round_trip(), 0) << "before the first sample";
  EXPECT_TRUE(is_right(sample(0)));
  EXPECT_GT(timed_->empty_round_trip(), 0);
  EXPECT_GT(timed_->copy_seconds(std::uint64_t{64} << 20), 0);
  EXPECT_TRUE(is_right(sample(1)));
}

TEST_P(TimedCaseTest, MemoryGivenBackIsFilledAnew) {
  open("copies");
  ASSERT_TRUE(timed_) << sentence_;
  for (int round = 0; round < 3; ++round) {
    TimedSample taken = sample(round);
    EXPECT_TRUE(is_right(taken)) << round;
    timed_->give_back(std::move(taken));
  }
}

TEST_P(TimedCaseTest, WhatCannotBeLoadedIsSaid) {
  open("copies", kTimedLimit, EXITS_WHEN_LOADED);
  EXPECT_FALSE(timed_);
  EXPECT_NE(sentence_.find("while it was being loaded"), std::string::npos) << sentence_;
  open("is_not_defined");
  EXPECT_FALSE(timed_);
  EXPECT_NE(sentence_.find("does not define is_not_defined"), std::string::npos) << sentence_;
}

}  // namespace
}  // namespace lanewise
