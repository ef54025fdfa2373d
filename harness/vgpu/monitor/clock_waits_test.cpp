// Clock reads in modelled time: a wait for the clock takes as long as it lasts, and timing code does not slow it down.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/vgpu/monitor/testing/timed_kernel.h"

namespace vgpu::test {
namespace {

double latency_of(const std::string& body, std::uint32_t threads = 32, std::uint32_t blocks = 1) {
  return clocks_of(time_of_kernel({body, threads, blocks}), Bound::kLatency);
}

/// Three instructions a round, one after the other.
std::string work(std::uint32_t rounds) {
  return "mov.u32 %r20, 0;\nWORK:\nadd.u32 %r20, %r20, 1;\nsetp.lt.u32 %p1, %r20, " + std::to_string(rounds) +
         ";\n@%p1 bra WORK;\n";
}

/// Until the clock has gone on by so much; `meanwhile` in between two looks.
std::string wait_for(std::uint32_t clocks, const std::string& clock = "%clock64", const std::string& meanwhile = "") {
  return "mov.u64 %rd5, " + clock + ";\nSPIN:\n" + meanwhile + "mov.u64 %rd6, " + clock +
         ";\nsub.u64 %rd7, %rd6, %rd5;\nsetp.lt.u64 %p2, %rd7, " + std::to_string(clocks) + ";\n@%p2 bra SPIN;\n";
}

/// What a block takes beside the path of its warps, and the first of it that may be free: see BlockTime::kOverlap.
constexpr double kFree = 1000;

TEST(ClockWaits, TakeAsLongAsTheyLast) {
  for (const std::uint32_t clocks : {5'000, 50'000}) {
    const double waited = latency_of(wait_for(clocks)) - latency_of("");
    EXPECT_GT(waited, clocks - kFree);
    EXPECT_LT(waited, 1.1 * clocks) << "and no longer";
  }
}

TEST(ClockWaits, OnTheTimerTakeTheirNanoseconds) {
  constexpr std::uint32_t kNanoseconds = 20'000;
  const double waited = latency_of(wait_for(kNanoseconds, "%globaltimer")) - latency_of("");
  EXPECT_GT(waited, kNanoseconds * h200().gigahertz() - kFree);
  EXPECT_LT(waited, 1.1 * kNanoseconds * h200().gigahertz());
}

TEST(ClockWaits, CannotBeShortenedByInstructionsThatCostNothing) {
  std::string nothing;
  for (int n = 0; n < 200; ++n) nothing += "mov.u32 %r21, %r20;\n";
  EXPECT_GT(latency_of(wait_for(50'000, "%clock64", nothing)), 50'000 - kFree);
}

TEST(ClockWaits, CannotBeShortenedByWhatOthersDo) {
  // The first warp waits while the others of its block, and other blocks, work.
  const std::string body = "setp.ge.u32 %p3, %r0, 32;\n@%p3 bra OTHERS;\n" + wait_for(50'000) + "bra END;\nOTHERS:\n" +
                           work(2'000) + "END:\n";
  EXPECT_GT(latency_of(body, 1024), 50'000 - kFree);
  EXPECT_GT(latency_of("mov.u32 %r0, %ctaid.x;\nmul.lo.u32 %r0, %r0, 32;\n" + body, 32, 64), 50'000 - kFree);
}

TEST(ClockWaits, FromTheBeginningOfTheKernelOnAreWaitsAsWell) {
  // For a time that is not derived from a look of its own: later blocks must not find it over.
  const std::string body = "UNTIL:\nmov.u64 %rd6, %clock64;\nsetp.lt.u64 %p2, %rd6, 50000;\n@%p2 bra UNTIL;\n";
  const auto at_scale = [&](std::uint32_t blocks) {
    return time_of_kernel({body, 32, blocks}).at_scale - time_of_kernel({"", 32, blocks}).at_scale;
  };
  EXPECT_NEAR(at_scale(8) / at_scale(1), 8, 0.1);
}

TEST(ClockWaits, WhoMeasuresItsWorkTakesNoLonger) {
  std::string wide;
  for (int n = 0; n < 100; ++n) wide += "add.u32 %r" + std::to_string(10 + n % 5) + ", %r0, %r1;\n";
  const std::string again = "setp.lt.u32 %p4, %r22, 20;\nadd.u32 %r22, %r22, 1;\n@%p4 bra AGAIN;\n";
  const std::string read = "ld.global.u32 %r23, [%rd0];\nadd.u32 %r20, %r20, %r23;\n";
  const std::string uneven = "setp.lt.u32 %p3, %r0, 96;\n@%p3 bra EASY;\n" + work(20'000) + "EASY:\nbar.sync 0;\n";
  const auto measured = [](const std::string& work, const std::string& special, const std::string& end) {
    return "mov.u32 %r22, 0;\nAGAIN:\nmov.u32 %r8, " + special + ";\n" + work + "mov.u32 %r9, " + special +
           ";\nsub.u32 %r9, %r9, %r8;\n" + end + "st.global.u32 [%rd0+64], %r9;\n";
  };
  for (const std::string& work : {wide, read, read + wide, work(20'000), uneven})
    for (const std::string& end : {std::string(), again}) {
      const std::uint32_t blocks = work == read ? 64 : 2;
      if (work.find("WORK") != std::string::npos && !end.empty()) continue;
      EXPECT_LE(latency_of(measured(work, "%clock", end), 128, blocks),
                latency_of(measured(work, "%laneid", end), 128, blocks))
          << work << end;
    }
}

TEST(ClockWaits, ShowOnClocksOfABlockWhomItsWarpsHaveWaitedFor) {
  // The first warp looks, waits at a barrier for the second one, which works and sleeps, and looks again.
  const std::string body =
      "mov.u64 %rd5, %clock64;\nmov.u64 %rd8, %globaltimer;\nsetp.lt.u32 %p3, %r0, 32;\n@%p3 bra MEET;\n" +
      work(20'000) +
      "mov.u64 %rd7, %clock64;\nnanosleep.u32 10000;\nMEET:\nbar.sync 0;\nsetp.ne.u32 %p3, %r0, 0;\n@%p3 bra END;\n"
      "mov.u64 %rd6, %clock64;\nmov.u64 %rd9, %globaltimer;\nsub.u64 %rd6, %rd6, %rd5;\nsub.u64 %rd9, %rd9, %rd8;\n"
      "st.global.v2.u64 [%rd0], {%rd6, %rd9};\nEND:\n";
  Program program = program_of({body, 64, 1});
  const std::vector<std::uint64_t> seen = results_of<std::uint64_t>(program, 2);
  EXPECT_NEAR(static_cast<double>(seen[0]), 3 * 20'000 + 20'000, 1000) << "clocks";
  EXPECT_NEAR(static_cast<double>(seen[1]), static_cast<double>(seen[0]) / 2, 1000) << "nanoseconds";
}

TEST(ClockWaits, WhatOtherBlocksDoIsNotSeenByWhoMeasures) {
  const std::string body = "mov.u64 %rd5, %clock64;\n" + work(20'000) +
                           "mov.u64 %rd6, %clock64;\nsub.u64 %rd6, %rd6, %rd5;\nmov.u32 %r10, %ctaid.x;\n"
                           "mul.wide.u32 %rd1, %r10, 8;\nadd.u64 %rd1, %rd1, %rd0;\nst.global.u64 [%rd1], %rd6;\n";
  Program program = program_of({body, 32, 50});
  program.options.resident_blocks = 10;
  for (const std::uint64_t elapsed : results_of<std::uint64_t>(program, 50))
    EXPECT_NEAR(static_cast<double>(elapsed), 3 * 20'000, 1000);
}

}  // namespace
}  // namespace vgpu::test
