// Flags and results raise no doubt; one byte more does, but not where the contract hands over host memory.
#include "harness/runner/verdict/host_share.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

Problem with_a_megabyte(Space space) {
  Problem problem;
  problem.space = space;
  problem.inputs.push_back(make_array<float>("a", {250'000}));
  return problem;
}

CounterReport call_with(std::uint64_t host_bytes, std::uint64_t launches) {
  CounterReport counts;
  counts.host_bytes = host_bytes;
  counts.sums["launches"] = launches;
  return counts;
}

TEST(HostShare, ResultsAThousandthAndAFlagBesideEveryLaunchRaiseNoDoubt) {
  const Problem problem = with_a_megabyte(Space::kDevice);
  constexpr std::uint64_t kAllowed = 4096 + 1000 + 10 * 16;
  EXPECT_EQ(doubt_that_kernels_did_it(problem, call_with(kAllowed, 10)), "");
  const std::string doubt = doubt_that_kernels_did_it(problem, call_with(kAllowed + 1, 10));
  EXPECT_NE(doubt.find("5,257 bytes"), std::string::npos) << doubt;
}

TEST(HostShare, EmptyLaunchesDoNotBuyAWayForAllData) {
  const Problem problem = with_a_megabyte(Space::kDevice);
  EXPECT_EQ(doubt_that_kernels_did_it(problem, call_with(512 * 16, 1 << 20)), "");
  EXPECT_NE(doubt_that_kernels_did_it(problem, call_with(16'000, 1 << 20)), "");
}

TEST(HostShare, HostPointersAreMeantToBeCopied) {
  EXPECT_EQ(doubt_that_kernels_did_it(with_a_megabyte(Space::kHost), call_with(3'000'000, 1)), "");
}

TEST(HostShare, KernelsReadAllInputAndWriteAllOutputOrTheHostDidTheWork) {
  Problem problem = with_a_megabyte(Space::kHost);
  problem.outputs.push_back({"c", DType::kFloat32, {250'000}});
  constexpr std::uint64_t kSectors = 1'000'000 / 32;
  CounterReport counts;
  counts.sums = {{"l2_read_sectors", kSectors}, {"l2_write_sectors", kSectors}};
  counts.host_bytes = 2'000'000;
  EXPECT_EQ(work_without_kernels(problem, 0, counts), "");
  for (const char* const less : {"l2_read_sectors", "l2_write_sectors"}) {
    CounterReport few = counts;
    few.sums[less] -= 1;
    const std::string sentence = work_without_kernels(problem, 0, few);
    EXPECT_NE(sentence.find("999,968 of 1,000,000 bytes"), std::string::npos) << sentence;
  }
  CounterReport idle = counts;
  idle.host_bytes -= 1;
  EXPECT_NE(work_without_kernels(problem, 0, idle), "") << "kernels did something, but not with the inputs";
  EXPECT_NE(work_without_kernels(problem, 0, {}), "");
  EXPECT_EQ(work_without_kernels(with_a_megabyte(Space::kDevice), 1e6, {}), "") << "its data is on the device already";
}

TEST(HostShare, ThreadsExecuteAnInstructionForEveryTwoOperationsOrTheHostDidThem) {
  const Problem problem = with_a_megabyte(Space::kHost);
  CounterReport counts;
  counts.sums = {{"l2_read_sectors", 31'250}, {"thread_executions", 500}};
  counts.host_bytes = 1'000'000;
  EXPECT_EQ(work_without_kernels(problem, 1000, counts), "");
  const std::string sentence = work_without_kernels(problem, 1001, counts);
  EXPECT_EQ(sentence, "threads executed 500 instructions, and the task takes 1,001 operations");
}

}  // namespace
}  // namespace lanewise
