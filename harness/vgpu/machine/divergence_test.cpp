// Lanes that part and meet again, lanes that wait for each other, threads that can never go on, and the order of it
// all.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;

std::vector<U32> results(const std::string& body, U32 threads, const std::string& outside = {}) {
  Program program;
  program.ptx = kernel_with(1, body + kStoreResult, outside);
  program.shape.block.x = threads;
  program.options.instruction_budget = 10'000'000;  // a lane that waits for ever fails the test instead of hanging it
  const std::vector<U32> got = results_of<U32>(program, threads);
  program.watch = Watch::kEveryStep;
  EXPECT_EQ(results_of<U32>(program, threads), got) << "step by step";
  return got;
}

TEST(Stepping, ShowsEachInstructionOnce) {
  Program program;
  program.ptx = kernel_with(
      1, "add.u32 %r5, %r0, 1;\nmul.lo.u32 %r5, %r5, %r5;\nxor.b32 %r5, %r5, 3;\n" + std::string(kStoreResult));
  program.watch = Watch::kEveryStep;
  const Result result = run(program, {Bytes(32 * sizeof(U32))});
  EXPECT_EQ(result.outcome.fault.kind, FaultKind::kNone);
  EXPECT_EQ(result.steps_seen, result.outcome.warp_instructions);
}

// --- meeting again: activemask tells who executes together ---

TEST(Reconvergence, LanesMeetBehindAnIf) {
  const std::vector<U32> got = results(
      "and.b32 %r6, %r0, 3;\nsetp.eq.u32 %p1, %r6, 1;\nactivemask.b32 %r7;\n@%p1 bra ODD;\nactivemask.b32 %r8;\nbra "
      "JOIN;\nODD:\nactivemask.b32 %r8;\nJOIN:\nactivemask.b32 %r9;\nxor.b32 %r5, %r7, %r9;\nxor.b32 %r5, %r5, %r8;\n",
      32);
  for (U32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], (t & 3) == 1 ? 0x22222222u : 0xDDDDDDDDu) << t;
}

TEST(Reconvergence, LanesMeetBehindEveryIfOfANest) {
  // Each level splits by one bit of the lane's number; behind each level its lanes are together again.
  const std::vector<U32> got = results(
      "mov.u32 %r5, 0;\nand.b32 %r6, %r0, 1;\nsetp.ne.u32 %p1, %r6, 0;\nand.b32 %r6, %r0, 2;\nsetp.ne.u32 %p2, %r6, "
      "0;\nand.b32 %r6, %r0, 4;\nsetp.ne.u32 %p3, %r6, 0;\n@!%p1 bra L1;\n@!%p2 bra L2;\n@!%p3 bra L3;\nadd.u32 %r5, "
      "%r5, 1;\nL3:\nactivemask.b32 %r7;\npopc.b32 %r7, %r7;\nmad.lo.u32 %r5, %r7, 100, %r5;\nL2:\nactivemask.b32 "
      "%r7;\npopc.b32 %r7, %r7;\nmad.lo.u32 %r5, %r7, 10000, %r5;\nL1:\nactivemask.b32 %r7;\npopc.b32 %r7, "
      "%r7;\nmad.lo.u32 %r5, %r7, 1000000, %r5;\n",
      32);
  for (U32 t = 0; t < 32; ++t) {
    const bool one = (t & 1) != 0, two = one && (t & 2) != 0, three = two && (t & 4) != 0;
    EXPECT_EQ(got[t], 32000000u + (one ? 160000 : 0) + (two ? 800 : 0) + (three ? 1 : 0)) << t;
  }
}

TEST(Reconvergence, LanesMeetBehindALoopHoweverLongEachStaysInIt) {
  // In round n of the loop those lanes are together that have not left it: as many as have numbers of n and above.
  const std::vector<U32> got = results(
      "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nLOOP:\nactivemask.b32 %r7;\npopc.b32 %r7, %r7;\nadd.u32 %r5, %r5, "
      "%r7;\nadd.u32 %r6, %r6, 1;\nsetp.le.u32 %p1, %r6, %r0;\n@%p1 bra LOOP;\nactivemask.b32 %r7;\npopc.b32 %r7, "
      "%r7;\nmad.lo.u32 %r5, %r7, 10000, %r5;\n",
      32);
  U32 together = 0;
  for (U32 t = 0; t < 32; ++t) {
    together += 32 - t;
    EXPECT_EQ(got[t], 320000 + together) << t;
  }
}

TEST(Reconvergence, LanesMeetInEveryRoundOfALoopWithAnIfInIt) {
  const std::vector<U32> got = results(
      "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nLOOP:\nxor.b32 %r7, %r0, %r6;\nand.b32 %r7, %r7, 1;\nsetp.eq.u32 %p1, %r7, "
      "0;\n@%p1 bra SKIP;\nadd.u32 %r5, %r5, 1000;\nSKIP:\nactivemask.b32 %r8;\npopc.b32 %r8, %r8;\nadd.u32 %r5, %r5, "
      "%r8;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 10;\n@%p2 bra LOOP;\n",
      32);
  for (const U32 value : got) EXPECT_EQ(value, 5 * 1000u + 10 * 32u);
}

TEST(Reconvergence, LanesMeetBehindASwitch) {
  const std::vector<U32> got = results(
      "and.b32 %r6, %r0, 3;\nbrx.idx %r6, WAYS;\nWAYS: .branchtargets A, B, C, A;\nA:\nactivemask.b32 %r5;\nbra "
      "JOIN;\nB:\nactivemask.b32 %r5;\nbra JOIN;\nC:\nactivemask.b32 %r5;\nJOIN:\nactivemask.b32 %r7;\nadd.u32 %r5, "
      "%r5, %r7;\n",
      32);
  const U32 together[] = {0x11111111, 0x22222222, 0x44444444, 0x88888888};  // lanes 0 and 3 come to A one by one
  for (U32 t = 0; t < 32; ++t) EXPECT_EQ(got[t] + 1, together[t & 3]) << t;
}

TEST(Reconvergence, LanesMeetBehindACall) {
  const std::vector<U32> got = results(
      "{\n.param .b32 a;\nst.param.b32 [a], %r0;\ncall wait_by_number, (a);\n}\nactivemask.b32 %r5;\n", 32,
      ".func wait_by_number(.param .b32 in)\n{\n.reg .b32 %r<3>;\n.reg .pred %p<3>;\nld.param.b32 %r1, [in];\nand.b32 "
      "%r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 ret;\nLOOP:\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 ret;\nsub.u32 %r1, "
      "%r1, "
      "1;\nbra LOOP;\n}\n");
  for (const U32 mask : got) EXPECT_EQ(mask, ~0u);
}

TEST(Reconvergence, LanesThatExitedAreNotWaitedFor) {
  const std::vector<U32> got = results(
      "mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %r0, 12;\n@%p1 bra SHORT;\nsetp.ge.u32 %p2, %r0, 20;\n@%p2 exit;\nadd.u32 "
      "%r5, %r5, 1;\nSHORT:\nactivemask.b32 %r7;\nadd.u32 %r5, %r5, %r7;\n",
      32);
  for (U32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t < 12 ? 0xFFFFFu : t < 20 ? 0x100000u : 0u) << t;
}

// --- forward progress for every lane ---

/// Lane t adds t + 1 to a counter that a lock guards; the lock's holder always has others spinning beside it.
const char* const kLockBody =
    "mov.u32 %r5, 0;\nSPIN:\natom.global.cas.b32 %r6, [lock], 0, 1;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra "
    "SPIN;\nld.volatile.global.u32 %r7, [counter];\nadd.u32 %r8, %r0, 1;\nadd.u32 %r7, %r7, "
    "%r8;\nst.volatile.global.u32 "
    "[counter], %r7;\nmembar.gl;\natom.global.exch.b32 %r6, [lock], 0;\nbar.sync 0;\nld.volatile.global.u32 %r5, "
    "[counter];\n";
const char* const kLockOutside = ".global .align 4 .u32 lock;\n.global .align 4 .u32 counter;\n";

TEST(ForwardProgress, ALockInsideAWarpIsPassedOn) {
  for (const U32 threads : {2u, 32u, 100u, 256u})
    for (const U32 sum : results(kLockBody, threads, kLockOutside))
      ASSERT_EQ(sum, threads * (threads + 1) / 2) << threads;
}

TEST(ForwardProgress, ALaneMayWaitForAnyOtherLaneOfItsWarp) {
  // A chain: every lane waits for the flag of its neighbour, in either direction, and sets its own.
  for (const bool upwards : {true, false}) {
    const std::string neighbour = upwards ? "add.u32 %r6, %r0, 1;\n" : "sub.u32 %r6, %r0, 1;\n";
    const std::string last = upwards ? "31" : "0";
    const std::vector<U32> got =
        results("mov.u32 %r9, flags;\nmad.lo.u32 %r8, %r0, 4, %r9;\nst.shared.u32 [%r8], 0;\nbar.sync 0;\n" +
                    neighbour + "mad.lo.u32 %r7, %r6, 4, %r9;\nsetp.eq.u32 %p1, %r0, " + last +
                    ";\nmov.u32 %r10, 0;\n@%p1 bra SET;\nWAIT:\nld.volatile.shared.u32 %r10, [%r7];\nsetp.eq.u32 %p2, "
                    "%r10, 0;\n@%p2 bra WAIT;\nSET:\nadd.u32 %r5, %r10, 1;\nst.volatile.shared.u32 [%r8], %r5;\n",
                32, ".shared .align 4 .b32 flags[32];\n");
    for (U32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], upwards ? 32 - t : t + 1) << t;
  }
}

TEST(ForwardProgress, ALaneMayWaitForOneThatWaitsBehindTheLoop) {
  // Lane 0 leaves the loop at once, and sets what the others in the loop wait for only behind the point where all meet.
  const std::vector<U32> got = results(
      "mov.u32 %r5, 0;\nst.shared.u32 [flag], 0;\nbar.sync 0;\nsetp.eq.u32 %p1, %r0, 0;\n@%p1 bra "
      "BEHIND;\nWAIT:\nld.volatile.shared.u32 %r6, [flag];\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra WAIT;\nadd.u32 %r5, "
      "%r6, "
      "%r0;\nBEHIND:\nst.volatile.shared.u32 [flag], 5;\n",
      32, ".shared .align 4 .b32 flag;\n");
  for (U32 t = 0; t < 32; ++t) EXPECT_EQ(got[t], t == 0 ? 0 : t + 5) << t;
}

TEST(ForwardProgress, ALockTakenInAFunctionIsPassedOn) {
  // Three rounds: who has given the lock back enters the function anew while others still spin in it.
  const std::vector<U32> got = results(
      "mov.u32 %r9, 0;\nROUND:\ncall take;\nld.volatile.global.u32 %r7, [counter];\nadd.u32 %r7, %r7, "
      "1;\nst.volatile.global.u32 [counter], %r7;\ncall give;\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p1, %r9, 3;\n@%p1 "
      "bra "
      "ROUND;\nbar.sync 0;\nld.volatile.global.u32 %r5, [counter];\n",
      64,
      std::string(kLockOutside) +
          ".func take()\n{\n.reg .b32 %r<9>;\n.reg .pred %p<2>;\nmov.u32 %r2, 1;\nmov.u32 %r3, "
          "7;\nSPIN:\natom.global.cas.b32 %r1, [lock], 0, %r2;\nmul.lo.u32 %r3, %r3, %r3;\nsetp.ne.u32 %p1, %r1, "
          "0;\n@%p1 "
          "bra SPIN;\nret;\n}\n.func give()\n{\n.reg .b32 %r<3>;\natom.global.exch.b32 %r1, [lock], 0;\nret;\n}\n");
  for (const U32 sum : got) EXPECT_EQ(sum, 3 * 64u);
}

TEST(ForwardProgress, AWarpMayWaitForAnotherWarpAndABlockForAnotherBlock) {
  // Thread 0 of each block waits until the block before it has passed the token on; blocks run in any order.
  Program program;
  program.ptx =
      kernel_with(1,
                  "mov.u32 %r5, 0;\nsetp.ne.u32 %p1, %r0, 33;\n@%p1 bra END;\nmov.u32 %r6, "
                  "%ctaid.x;\nWAIT:\nld.volatile.global.u32 %r7, [token];\nsetp.ne.u32 %p2, %r7, %r6;\n@%p2 bra "
                  "WAIT;\nadd.u32 %r7, %r7, 1;\nst.volatile.global.u32 [token], %r7;\nEND:\nbar.sync "
                  "0;\nld.volatile.global.u32 %r5, [token];\n" +
                      std::string(kStoreResult),
                  ".global .align 4 .u32 token;\n");
  program.shape = {{9, 1, 1}, {64, 1, 1}, 0, false};
  program.options.resident_blocks = 9;
  program.options.instruction_budget = 10'000'000;
  for (const std::uint64_t seed : {0, 1, 2, 3}) {
    program.options.schedule_seed = seed;
    const std::vector<U32> got = results_of<U32>(program, 9 * 64);
    for (U32 t = 0; t < got.size(); ++t) ASSERT_GE(got[t], t / 64 + 1) << "seed " << seed;
  }
}

// --- those that can never go on ---

LaunchOutcome outcome_of(const std::string& body, U32 threads, std::uint64_t budget = 1'000'000) {
  Program program;
  program.ptx = kernel_with(1, body, ".file 1 \"kernel.cu\"\n.shared .align 4 .b32 flag;\n");
  program.shape = {{2, 1, 1}, {threads, 1, 1}, 0, false};
  program.options.instruction_budget = budget;
  const Result result = run(program, {Bytes(64)});
  EXPECT_EQ(result.refusal, "");
  return result.outcome;
}

TEST(Deadlock, IsReportedWithWhereEachWaits) {
  struct Row {
    const char* what;
    const char* body;
    U32 threads;
    std::vector<const char*> words;
    FaultKind kind = FaultKind::kDeadlock;
  };
  const Row kRows[] = {
      {"half of the lanes at one barrier, half at another",
       ".loc 1 10 0\nand.b32 %r6, %r0, 1;\nsetp.eq.u32 %p1, %r6, 1;\n@%p1 bra ODD;\n.loc 1 11 0\nbarrier.sync 1;\nbra "
       "JOIN;\nODD:\n.loc 1 12 0\nbarrier.sync 2;\nJOIN:\n",
       32,
       {"lanes 0x55555555 at barrier 1 in line 11", "lanes 0xaaaaaaaa at barrier 2 in line 12", "block (0,0,0)"}},
      {"one warp at the barrier for two, the other at one of its own",
       "setp.lt.u32 %p1, %r0, 32;\n.loc 1 21 0\n@%p1 bar.sync 3;\n.loc 1 22 0\n@!%p1 bar.sync 4;\n",
       64,
       {"warp 0 lanes 0xffffffff at barrier 3 in line 21", "warp 1 lanes 0xffffffff at barrier 4 in line 22"}},
      {"a barrier for more threads than come",
       ".loc 1 31 0\nbar.sync 5, 96;\n",
       64,
       {"warp 0 lanes 0xffffffff at barrier 5 in line 31", "warp 1 lanes 0xffffffff at barrier 5 in line 31"}},
      {"lanes that wait for others of their warp, which wait at the barrier",
       "setp.lt.u32 %p1, %r0, 16;\n@%p1 bra LOW;\n.loc 1 41 0\nbar.warp.sync -1;\nLOW:\n.loc 1 42 0\nbarrier.sync "
       "0;\n",
       32,
       {"lanes 0xffff0000 waiting for other lanes of the warp in line 41", "lanes 0x0000ffff at barrier 0 in line 42",
        "in their mask"},
       FaultKind::kLaneDeadlock},
      {"many warps: the first four are named",
       ".loc 1 51 0\nbar.sync 5, 1024;\n",
       320,
       {"warp 3 lanes 0xffffffff at barrier 5 in line 51", "and 6 more"}},
  };
  for (const Row& row : kRows) {
    const Fault fault = outcome_of(std::string("") + row.body, row.threads).fault;
    EXPECT_EQ(fault.kind, row.kind) << row.what;
    for (const char* words : row.words)
      EXPECT_NE(fault.sentence.find(words), std::string::npos)
          << row.what << ": " << words << "\nis not in: " << fault.sentence;
    EXPECT_NE(fault.ptx_line, 0u) << row.what;
  }
}

TEST(Deadlock, IsNoneWhenTheOthersHaveExited) {
  // A part of a warp, a whole warp, and a part of the last, partial warp never come to the barrier.
  for (const char* leave : {"setp.lt.u32 %p1, %r0, 5;\n", "setp.lt.u32 %p1, %r0, 32;\n", "setp.ge.u32 %p1, %r0, 66;\n"})
    for (const U32 threads : {33u, 64u, 70u})
      EXPECT_EQ(outcome_of(std::string(leave) + "@%p1 exit;\nbar.sync 0;\nbar.sync 0;\n", threads).fault.kind,
                FaultKind::kNone)
          << leave << threads;
}

TEST(Budget, EndsAnEndlessLoopAndSaysWhere) {
  struct Row {
    const char* what;
    const char* body;
  };
  const Row kRows[] = {
      {"an empty loop", "LOOP:\nbra LOOP;\n"},
      {"waiting for a flag nobody sets",
       "st.shared.u32 [flag], 0;\nLOOP:\nld.volatile.shared.u32 %r5, [flag];\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra "
       "LOOP;\n"},
      {"one lane only", "setp.ne.u32 %p1, %r0, 3;\n@%p1 bra OUT;\nLOOP:\nadd.u32 %r5, %r5, 1;\nbra LOOP;\nOUT:\n"},
      {"a switch in a loop",
       "LOOP:\nand.b32 %r6, %r0, 1;\nbrx.idx %r6, WAYS;\nWAYS: .branchtargets LOOP, OTHER;\nOTHER:\nbra LOOP;\n"},
      {"calls in a loop", "LOOP:\nactivemask.b32 %r6;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra LOOP;\n"},
  };
  for (const Row& row : kRows) {
    const std::string body = std::string(".loc 1 70 0\nmov.u32 %r5, 0;\n.loc 1 71 0\n") + row.body;
    const LaunchOutcome outcome = outcome_of(body, 64, 100'000);
    EXPECT_EQ(outcome.fault.kind, FaultKind::kBudget) << row.what;
    EXPECT_EQ(outcome.fault.line, 71u) << row.what;
    EXPECT_NE(outcome.fault.sentence.find("forever"), std::string::npos) << outcome.fault.sentence;
    EXPECT_LT(4 * outcome.warp_instructions + outcome.thread_instructions, 36 * 200'000u)
        << row.what << ": the budget is kept to within a turn";
  }
}

TEST(Budget, CountsTheInstructionsOfAllWarps) {
  // A loop of 20,000 rounds of 3 instructions in each of 2 blocks of 2 warps.
  const char* const kBody =
      "mov.u32 %r5, 0;\nLOOP:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 20000;\n@%p1 bra LOOP;\n";
  const LaunchOutcome outcome = outcome_of(kBody, 64, 250'000);
  EXPECT_EQ(outcome.fault.kind, FaultKind::kNone) << outcome.fault.sentence;
  EXPECT_GE(outcome.warp_instructions, 4 * 60'000u);
  EXPECT_EQ(outcome.thread_instructions, 32 * outcome.warp_instructions);
  EXPECT_EQ(outcome_of(kBody, 64, 200'000).fault.kind, FaultKind::kBudget);
}

// As a thread that does everything by itself, which is slow but right.
TEST(Budget, CountsLessWhereFewLanesAreActive) {
  // A loop of 100,000 rounds of 3 instructions in one thread of each of 2 blocks.
  const char* const kBody =
      "mov.u32 %r5, 0;\nLOOP:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 100000;\n@%p1 bra LOOP;\n";
  const LaunchOutcome outcome = outcome_of(kBody, 1, 100'000);
  EXPECT_EQ(outcome.fault.kind, FaultKind::kNone) << outcome.fault.sentence;
  EXPECT_GE(outcome.warp_instructions, 2 * 300'000u);
  EXPECT_EQ(outcome_of(kBody, 1, 80'000).fault.kind, FaultKind::kBudget);
}

// Both blocks run `body`, whose block number is in %r6; they may poll `here`.
LaunchOutcome outcome_of_two(const std::string& body) {
  Program program;
  program.ptx = kernel_with(1, "mov.u32 %r6, %ctaid.x;\nmov.u32 %r5, 0;\n" + body, ".global .align 4 .u32 here;\n");
  program.shape = {{2, 1, 1}, {32, 1, 1}, 0, false};
  program.options.instruction_budget = 1'000'000;
  program.options.resident_blocks = 2;
  return run(program, {Bytes(64)}).outcome;
}

constexpr const char* kPollHere =
    "WAIT:\nld.volatile.global.u32 %r7, [here];\nsetp.eq.u32 %p2, %r7, 0;\n@%p2 bra WAIT;\n";

TEST(Budget, EndsSoonerWhereAllWaitForWhatNoneHasWritten) {
  const LaunchOutcome outcome = outcome_of_two(kPollHere);
  EXPECT_EQ(outcome.fault.kind, FaultKind::kBudget);
  EXPECT_NE(outcome.fault.sentence.find("have waited for a value that none of them has written"), std::string::npos)
      << outcome.fault.sentence;
  EXPECT_LT(outcome.warp_instructions, 200'000u);
}

TEST(Budget, IsNotShortenedWhereOneStillWorks) {
  // For 600,000 instructions; then it writes what the other one waits for.
  const LaunchOutcome outcome = outcome_of_two(
      std::string("setp.ne.u32 %p1, %r6, 0;\n@%p1 bra WAIT;\nLOOP:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, "
                  "200000;\n@%p1 bra LOOP;\nst.volatile.global.u32 [here], 1;\nbra OUT;\n") +
      kPollHere + "OUT:\n");
  EXPECT_EQ(outcome.fault.kind, FaultKind::kNone) << outcome.fault.sentence;
  EXPECT_GT(outcome.warp_instructions, 600'000u);
}

TEST(Residency, BlocksThatWaitForEachOtherHaveToBeUnderWayTogether) {
  // A barrier of the whole grid: right with room for 6 blocks, waiting for ever with room for 5.
  Program program;
  program.ptx = kernel_with(1,
                            "bar.sync 0;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra JOIN;\nred.global.add.u32 [here], "
                            "1;\nWAIT:\nld.volatile.global.u32 %r5, [here];\nsetp.lt.u32 %p2, %r5, 6;\n@%p2 bra "
                            "WAIT;\nJOIN:\nbar.sync 0;\nld.volatile.global.u32 %r5, [here];\n" +
                                std::string(kStoreResult),
                            ".global .align 4 .u32 here;\n");
  program.shape = {{6, 1, 1}, {64, 1, 1}, 0, false};
  program.options.instruction_budget = 1'000'000;
  for (const U32 room : {6u, 100u})
    for (const std::uint64_t seed : {0, 1, 2}) {  // with a seed few blocks are under way, until they get nowhere
      program.options.resident_blocks = room;
      program.options.schedule_seed = seed;
      for (const U32 count : results_of<U32>(program, 6 * 64)) EXPECT_EQ(count, 6u) << room << ", " << seed;
    }
  program.options.schedule_seed = 0;
  program.options.resident_blocks = 5;
  EXPECT_EQ(run(program, {Bytes(4 * 6 * 64)}).outcome.fault.kind, FaultKind::kBudget);
}

// --- order ---

/// The order in which threads of 12 blocks of 2 warps drew their tickets.
std::vector<U32> tickets(std::uint64_t seed, U32 resident_blocks) {
  Program program;
  program.ptx = kernel_with(1, "atom.global.add.u32 %r5, [next], 1;\n" + std::string(kStoreResult),
                            ".global .align 4 .u32 next;\n");
  program.shape = {{12, 1, 1}, {64, 1, 1}, 0, false};
  program.options.schedule_seed = seed;
  program.options.resident_blocks = resident_blocks;
  return results_of<U32>(program, 12 * 64);
}

TEST(Order, IsTheNaturalOneWithoutASeed) {
  const std::vector<U32> got = tickets(0, 1);
  for (U32 t = 0; t < got.size(); ++t) ASSERT_EQ(got[t], t);
}

TEST(Order, OfOneSeedIsTheSameInEveryRunAndOfOthersAnother) {
  for (const U32 resident : {1u, 4u}) {
    std::set<std::vector<U32>> orders;
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      const std::vector<U32> order = tickets(seed, resident);
      EXPECT_EQ(order, tickets(seed, resident)) << seed;
      EXPECT_EQ(std::set<U32>(order.begin(), order.end()).size(), order.size())
          << "a block ran twice or never, seed " << seed;
      orders.insert(order);
    }
    EXPECT_GE(orders.size(), 12u);
  }
}

/// How many threads of 64 blocks of 64 a whole later block overtook, by being past its barrier first.
std::ptrdiff_t overtaken(std::uint64_t seed, U32 resident_blocks) {
  Program program;
  program.ptx = kernel_with(1,
                            "atom.global.add.u32 %r5, [before], 1;\nbar.sync 0;\natom.global.add.u32 %r6, [after], "
                            "1;\nsub.u32 %r5, %r6, %r5;\n" +
                                std::string(kStoreResult),
                            ".global .align 4 .u32 before;\n.global .align 4 .u32 after;\n");
  program.shape = {{64, 1, 1}, {64, 1, 1}, 0, false};
  program.options.schedule_seed = seed;
  program.options.resident_blocks = resident_blocks;
  const std::vector<U32> lost = results_of<U32>(program, 64 * 64);
  return std::count_if(lost.begin(), lost.end(), [](U32 places) { return static_cast<std::int32_t>(places) >= 64; });
}

TEST(Order, OfBlocksAtBarriersChangesWithASeedWhereThereIsRoom) {
  EXPECT_EQ(overtaken(0, 16), 0);
  EXPECT_EQ(overtaken(1, 1), 0);
  for (std::uint64_t seed = 1; seed < 8; ++seed) EXPECT_GE(overtaken(seed, 16), 2 * 64) << seed;
}

TEST(Order, OfWarpsChangesWithTheSeedToo) {
  std::set<bool> second_warp_first;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    const std::vector<U32> order = tickets(seed, 1);
    second_warp_first.insert(order[32] < order[0]);
  }
  EXPECT_EQ(second_warp_first.size(), 2u);
}

/// What is in [sum] after thread 0 of each of 64 blocks has executed `body`.
U32 sum_of_64(const std::string& body, std::uint64_t seed) {
  Program program;
  program.ptx = kernel_with(1,
                            "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra END;\n" + body +
                                "END:\nld.volatile.global.u32 %r5, [sum];\n" + std::string(kStoreResult),
                            ".global .align 4 .u32 sum;\n");
  program.shape = {{64, 1, 1}, {32, 1, 1}, 0, false};
  program.options.schedule_seed = seed;
  program.options.resident_blocks = 16;
  const std::vector<U32> got = results_of<U32>(program, 64 * 32);
  return *std::max_element(got.begin(), got.end());
}

TEST(Order, OfBlocksChangesBetweenAReadAndTheWriteThatComesOfIt) {
  const std::string by_volatile =
      "ld.volatile.global.u32 %r6, [sum];\nadd.u32 %r6, %r6, 1;\nst.volatile.global.u32 [sum], %r6;\n";
  const std::string by_atomics =
      "atom.global.or.b32 %r6, [sum], 0;\nadd.u32 %r6, %r6, 1;\natom.global.exch.b32 %r7, [sum], %r6;\n";
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    EXPECT_LT(sum_of_64(by_volatile, seed), 64) << seed;
    EXPECT_LT(sum_of_64(by_atomics, seed), 64) << seed;
    EXPECT_EQ(sum_of_64("atom.global.add.u32 %r6, [sum], 1;\n", seed), 64) << seed;
  }
}

TEST(Order, WhoLetsOthersLookStillWaitsAtTheNextBarrier) {
  // Lanes 0 and 1 come to the exchange apart, and find what they write; the other warp is late at the barrier.
  Program program;
  program.ptx = kernel_with(1,
                            "mov.u32 %r9, tile;\nmov.u64 %rd1, words;\nmul.wide.u32 %rd2, %r0, 4;\n"
                            "add.u64 %rd1, %rd1, %rd2;\nmov.u32 %r7, 0;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra LATE;\n"
                            "setp.eq.u32 %p1, %r0, 0;\n@%p1 bra SWAP;\nsetp.eq.u32 %p1, %r0, 1;\n@%p1 bra SWAP;\n"
                            "bra MEET;\nSWAP:\natom.global.exch.b32 %r6, [%rd1], %r7;\nbra MEET;\n"
                            "LATE:\natom.global.exch.b32 %r6, [%rd1], %r7;\nWORK:\nadd.u32 %r7, %r7, 1;\n"
                            "setp.lt.u32 %p2, %r7, 9000;\n@%p2 bra WORK;\nst.shared.u32 [%r9], %r7;\n"
                            "MEET:\nbar.red.or.pred %p3, 0, %p1;\nld.shared.u32 %r5, [%r9];\n" +
                                std::string(kStoreResult),
                            ".global .align 4 .b8 words[256];\n.shared .align 4 .b32 tile[1];\n");
  program.shape = {{2, 1, 1}, {64, 1, 1}, 0, false};
  program.options.resident_blocks = 2;
  EXPECT_EQ(results_of<U32>(program, 128), std::vector<U32>(128, 9000));
}

/// Five rounds in which each lane of a warp adds to its number that of the lane `distance` ahead, through volatile
/// shared memory; `sync` stands between a read and the write, and between a write and the next read.
std::vector<U32> sums_of_lanes(const std::string& sync, std::uint64_t seed) {
  std::string body = "mov.u32 %r9, cells;\nmad.lo.u32 %r9, %r0, 4, %r9;\nst.volatile.shared.u32 [%r9], %r0;\n" + sync;
  for (const char* const bytes : {"64", "32", "16", "8", "4"})
    body += "ld.volatile.shared.u32 %r6, [%r9+" + std::string(bytes) + "];\nld.volatile.shared.u32 %r7, [%r9];\n" +
            sync + "add.u32 %r7, %r7, %r6;\nst.volatile.shared.u32 [%r9], %r7;\n" + sync;
  Program program;
  program.ptx = kernel_with(1, body + "ld.volatile.shared.u32 %r5, [%r9];\n" + std::string(kStoreResult),
                            ".shared .align 4 .b32 cells[48];\n");
  program.options.schedule_seed = seed;
  return results_of<U32>(program, 32);
}

TEST(Order, OfLanesChangesUnlessTheySynchronise) {
  const std::vector<U32> in_step = sums_of_lanes("", 0);
  EXPECT_EQ(in_step[0], 31 * 32 / 2);
  int different = 0;
  for (std::uint64_t seed = 1; seed < 8; ++seed) {
    different += sums_of_lanes("", seed)[0] != in_step[0] ? 1 : 0;
    EXPECT_EQ(sums_of_lanes("bar.warp.sync -1;\n", seed)[0], in_step[0]) << seed;
    EXPECT_EQ(sums_of_lanes("bar.sync 0;\n", seed)[0], in_step[0]) << seed;
  }
  EXPECT_GE(different, 6);
}

TEST(Order, OfLanesAtAnAtomicIsAnyWithASeed) {
  int in_order = 0;
  for (std::uint64_t seed = 1; seed <= 32; ++seed) {
    const std::vector<U32> order = tickets(seed, 1);
    in_order += order[0] < order[31] ? 1 : 0;
  }
  EXPECT_LE(in_order, 4);  // one of 32 rotations
}

}  // namespace
}  // namespace vgpu::test
