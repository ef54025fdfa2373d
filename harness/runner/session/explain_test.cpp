// The words of a verdict, as a student reads them.
#include "harness/runner/session/explain.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>

namespace lanewise {
namespace {

std::vector<Array> bytes_output(std::size_t n, unsigned char value) {
  Array array = make_array<std::uint8_t>("out", {static_cast<std::int64_t>(n)});
  std::memset(array.bytes.data(), value, n);
  return {array};
}

CaseObservation crash_with(const Crash& crash) {
  CaseObservation observation;
  observation.ending = RunEnding::kCrashed;
  observation.crash = crash;
  return observation;
}

TEST(Explain, MismatchNamesElementCountAndRegion) {
  Array want = make_array<std::int32_t>("out", {1025});
  Array have = want;
  elements<std::int32_t>(want)[1024] = 513;
  elements<std::int32_t>(have)[1024] = 1;
  EXPECT_EQ(explain_mismatch(judge_exact({want}, {have}), {have}),
            "out[1024] is 1, expected 513; 1 of 1,025 wrong, the last element");
}

TEST(Explain, MatrixElementHasTwoIndices) {
  Array want = make_array<std::int32_t>("out", {3, 4});
  Array have = want;
  elements<std::int32_t>(have)[6] = 9;
  EXPECT_EQ(explain_mismatch(judge_exact({want}, {have}), {have}),
            "out[1, 2] is 9, expected 0; 1 of 12 wrong, row 1, column 2 only");
}

TEST(Explain, UntouchedOutputIsSaidToBeNeverWritten) {
  Array want = make_array<float>("c", {4});
  Array have = want;
  std::memset(have.bytes.data(), std::to_integer<int>(kPoison), have.bytes.size());
  EXPECT_EQ(explain_mismatch(judge_exact({want}, {have}), {have}),
            "c[0] was never written, expected 0; 4 of 4 wrong, everywhere");
}

TEST(Explain, UntouchedBytesAreKnownByTheirNumber) {
  const auto want = bytes_output(100, 7);
  const auto untouched = bytes_output(100, 0xA5);
  EXPECT_EQ(explain_mismatch(judge_exact(want, untouched), untouched),
            "out[0] was never written, expected 7; 100 of 100 wrong, everywhere");
  // One byte of that value may be a result.
  auto one = want;
  one[0].bytes[3] = kPoison;
  EXPECT_EQ(explain_mismatch(judge_exact(want, one), one), "out[3] is 165, expected 7; 1 of 100 wrong, element 3 only");
}

TEST(Explain, DevicePointerOnTheHostSaysWhatToDo) {
  Crash crash;
  crash.signal = SIGSEGV;
  crash.has_address = true;
  crash.is_device_memory = true;
  crash.place = "d_in[12]";
  EXPECT_EQ(explain_ending(crash_with(crash), 1).sentence,
            "host code read d_in[12]: that memory belongs to the device; copy it with cudaMemcpy first");
}

TEST(Explain, SignalsHaveNames) {
  Crash crash;
  crash.signal = SIGFPE;
  EXPECT_EQ(explain_ending(crash_with(crash), 1).sentence,
            "host code was terminated by SIGFPE, an integer division by zero");
  crash.signal = SIGUSR2;
  EXPECT_EQ(explain_ending(crash_with(crash), 1).sentence, "host code was terminated by signal 12");
}

TEST(Explain, KernelWithoutEndIsATimeLimit) {
  CaseObservation observation;
  observation.ending = RunEnding::kCudaError;
  observation.cuda_error = 702;
  observation.cuda_error_name = "cudaErrorLaunchTimeout";
  EXPECT_EQ(explain_ending(observation, 1).outcome, CaseOutcome::kTimedOut);
  observation.cuda_error = 700;
  EXPECT_EQ(explain_ending(observation, 1).outcome, CaseOutcome::kCudaError);
}

TEST(Explain, ClaimedSetupFailureCostsThePointsOwnFailureDoesNot) {
  CaseObservation observation;
  observation.ending = RunEnding::kSetupFailed;
  EXPECT_EQ(explain_ending(observation, 1).outcome, CaseOutcome::kNotRun);
  observation.ending = RunEnding::kNotTried;
  EXPECT_EQ(explain_ending(observation, 1).outcome, CaseOutcome::kLeftOut);
}

TEST(Explain, WhatTheMachineHadAPartInMayEndOtherwise) {
  CaseObservation out_of_memory;
  out_of_memory.ending = RunEnding::kCudaError;
  out_of_memory.cuda_error_name = "cudaErrorMemoryAllocation";
  out_of_memory.sentence = "out of memory";
  CaseObservation stray;
  stray.ending = RunEnding::kCudaError;
  stray.cuda_error_name = "cudaErrorIllegalAddress";
  Crash killed;
  killed.signal = SIGKILL;
  Crash aborted;
  aborted.signal = SIGABRT;
  CaseObservation late;
  late.ending = RunEnding::kTimedOut;
  CaseObservation not_tried;  // shared memory ran out, say
  not_tried.ending = RunEnding::kNotTried;
  CaseObservation returned;
  returned.ending = RunEnding::kReturned;
  const auto varies = [](const CaseObservation& observation) {
    const Explained explained = explain_ending(observation, 1);
    CaseVerdict verdict;
    verdict.outcome = explained.outcome;
    verdict.sentence = explained.sentence;
    return may_end_otherwise(verdict);
  };
  EXPECT_TRUE(varies(out_of_memory));
  EXPECT_TRUE(varies(crash_with(killed)));
  EXPECT_TRUE(varies(late));
  EXPECT_TRUE(varies(not_tried));
  EXPECT_FALSE(varies(stray));
  EXPECT_FALSE(varies(crash_with(aborted)));
  EXPECT_FALSE(varies(returned));
}

TEST(Explain, ScalarsReadAsInTheContract) {
  Problem problem;
  problem.scalars = {{"width", std::int64_t{62}}, {"scale", 0.5}};
  EXPECT_EQ(describe_scalars(problem), "width = 62, scale = 0.5");
}

}  // namespace
}  // namespace lanewise
