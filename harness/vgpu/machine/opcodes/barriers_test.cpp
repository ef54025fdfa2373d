// Barriers of a block: ids, counts, arrivals without waiting, votes, exited threads; fences and sleeping.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;

/// Every thread writes its number, waits by `barrier`, and reads its opposite's: wrong unless the barrier holds
/// everybody.
std::vector<U32> reversed_through(const std::string& barrier, U32 threads) {
  Program program;
  program.ptx = kernel_with(
      1,
      "mov.u32 %r9, tile;\nmad.lo.u32 %r5, %r0, 4, %r9;\nst.shared.u32 [%r5], %r0;\n" + barrier +
          "\nsub.u32 %r6, %r2, 1;\nsub.u32 %r6, %r6, %r0;\nmad.lo.u32 %r6, %r6, 4, %r9;\nld.shared.u32 %r5, [%r6];\n" +
          kStoreResult,
      ".shared .align 4 .b32 tile[1024];");
  program.shape.block.x = threads;
  return results_of<U32>(program, threads);
}

TEST(Barriers, HoldTheWholeBlock) {
  for (const char* barrier : {"bar.sync 0;", "bar.cta.sync 0;", "barrier.sync 0;", "barrier.cta.sync.aligned 15;",
                              "barrier.sync.aligned 7;", "bar.sync 3;"})
    for (const U32 threads : {1u, 31u, 32u, 33u, 100u, 256u, 1024u}) {
      const std::vector<U32> got = reversed_through(barrier, threads);
      for (U32 t = 0; t < threads; ++t) ASSERT_EQ(got[t], threads - 1 - t) << barrier << " with " << threads;
    }
}

TEST(Barriers, TakeIdAndCountFromRegisters) {
  const std::vector<U32> got = reversed_through("mov.u32 %r7, 5;\nadd.u32 %r8, %r2, 0;\nbar.sync %r7, %r8;", 128);
  for (U32 t = 0; t < 128; ++t) EXPECT_EQ(got[t], 127 - t);
}

TEST(Barriers, MayBeUsedOverAndOver) {
  // A tree sum over shared memory: ten rounds, a barrier each.
  Program program;
  program.ptx = kernel_with(1,
                            "mov.u32 %r9, tile;\nmad.lo.u32 %r5, %r0, 4, %r9;\nst.shared.u32 [%r5], %r0;\nmov.u32 %r6, "
                            "512;\nLOOP:\nbar.sync 0;\n"
                            "setp.ge.u32 %p1, %r0, %r6;\n@%p1 bra NEXT;\nadd.u32 %r7, %r0, %r6;\nmad.lo.u32 %r7, %r7, "
                            "4, %r9;\nld.shared.u32 %r7, [%r7];\n"
                            "ld.shared.u32 %r8, [%r5];\nadd.u32 %r8, %r8, %r7;\nst.shared.u32 [%r5], "
                            "%r8;\nNEXT:\nshr.u32 %r6, %r6, 1;\nsetp.ne.u32 %p2, %r6, 0;\n"
                            "@%p2 bra LOOP;\nbar.sync 0;\nld.shared.u32 %r5, [tile];\n" +
                                std::string(kStoreResult),
                            ".shared .align 4 .b32 tile[1024];");
  program.shape = {{3, 1, 1}, {1024, 1, 1}, 0, false};
  for (const U32 sum : results_of<U32>(program, 3 * 1024)) ASSERT_EQ(sum, 1023u * 1024 / 2);
}

TEST(Barriers, CountLetsWarpsMeetInGroups) {
  // Warps 0 and 1 meet at barrier 1, warps 2 and 3 at barrier 2: each warp reads what its partner wrote.
  Program program;
  program.ptx = kernel_with(
      1,
      "mov.u32 %r9, tile;\nmad.lo.u32 %r5, %r0, 4, %r9;\nst.shared.u32 [%r5], %r0;\nshr.u32 %r6, %r0, 6;\nadd.u32 %r6, "
      "%r6, 1;\n"
      "bar.sync %r6, 64;\nxor.b32 %r7, %r0, 32;\nmad.lo.u32 %r7, %r7, 4, %r9;\nld.shared.u32 %r5, [%r7];\n" +
          std::string(kStoreResult),
      ".shared .align 4 .b32 tile[128];");
  program.shape.block.x = 128;
  const std::vector<U32> got = results_of<U32>(program, 128);
  for (U32 t = 0; t < 128; ++t) EXPECT_EQ(got[t], t ^ 32);
}

TEST(Barriers, ArriveDoesNotWait) {
  // Warp 0 produces ten values; warp 1 consumes each. "full" is barrier 1, "empty" barrier 2.
  Program program;
  program.ptx = kernel_with(1,
                            "mov.u32 %r9, tile;\nand.b32 %r8, %r0, 31;\nmad.lo.u32 %r9, %r8, 4, %r9;\nmov.u32 %r5, "
                            "0;\nmov.u32 %r6, 0;\nsetp.lt.u32 %p1, %r0, 32;\n@!%p1 bra CONSUME;\n"
                            "PRODUCE:\nbar.sync 2, 64;\nadd.u32 %r7, %r6, %r8;\nst.shared.u32 [%r9], %r7;\nbar.arrive "
                            "1, 64;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p2, %r6, 10;\n@%p2 bra PRODUCE;\n"
                            "bra DONE;\nCONSUME:\nbar.arrive 2, 64;\nbar.sync 1, 64;\nld.shared.u32 %r7, "
                            "[%r9];\nadd.u32 %r5, %r5, %r7;\nadd.u32 %r6, %r6, 1;\n"
                            "setp.lt.u32 %p2, %r6, 10;\n@%p2 bra CONSUME;\nDONE:\n" +
                                std::string(kStoreResult),
                            ".shared .align 4 .b32 tile[32];");
  program.shape.block.x = 64;
  const std::vector<U32> got = results_of<U32>(program, 64);
  for (U32 lane = 0; lane < 32; ++lane) EXPECT_EQ(got[32 + lane], 45 + 10 * lane);
}

TEST(Barriers, VotesCoverTheWholeBlock) {
  // Threads of which number n holds: n & bit. Three votes, one after the other, on one barrier.
  for (const U32 threads : {32u, 70u, 256u}) {
    for (const U32 bit : {1u, 64u, 512u}) {
      Program program;
      program.ptx = kernel_with(1, "and.b32 %r6, %r0, " + std::to_string(bit) +
                                       ";\nsetp.ne.u32 %p1, %r6, 0;\nbar.red.popc.u32 %r5, 0, %p1;\n"
                                       "bar.red.and.pred %p2, 0, %p1;\nbar.red.or.pred %p3, 0, "
                                       "%p1;\nbarrier.cta.red.popc.aligned.u32 %r7, 4, !%p1;\n"
                                       "bar.red.and.pred %p4, 1, !%p1;\n"
                                       "shl.b32 %r7, %r7, 12;\nadd.u32 %r5, %r5, %r7;\nselp.u32 %r8, 0x1000000, 0, "
                                       "%p2;\nadd.u32 %r5, %r5, %r8;\n"
                                       "selp.u32 %r8, 0x2000000, 0, %p3;\nadd.u32 %r5, %r5, %r8;\nselp.u32 %r8, "
                                       "0x4000000, 0, %p4;\nadd.u32 %r5, %r5, %r8;\n" +
                                       kStoreResult);
      program.shape.block.x = threads;
      U32 count = 0;
      for (U32 t = 0; t < threads; ++t) count += (t & bit) != 0 ? 1 : 0;
      const U32 expected = count + ((threads - count) << 12) + (count == threads ? 0x1000000 : 0) +
                           (count != 0 ? 0x2000000 : 0) + (count == 0 ? 0x4000000 : 0);
      for (const U32 got : results_of<U32>(program, threads))
        ASSERT_EQ(got, expected) << threads << " threads, bit " << bit;
    }
  }
}

TEST(Barriers, VotesOfSomeWarpsHaveACount) {
  Program program;
  program.ptx = kernel_with(
      1,
      "setp.ge.u32 %p2, %r0, 64;\nmov.u32 %r5, 0;\n@%p2 bra DONE;\nand.b32 %r6, %r0, 3;\nsetp.eq.u32 %p1, %r6, 0;\n"
      "bar.red.popc.u32 %r5, 1, 64, %p1;\nDONE:\n" +
          std::string(kStoreResult));
  program.shape.block.x = 128;
  const std::vector<U32> got = results_of<U32>(program, 128);
  for (U32 t = 0; t < 128; ++t) EXPECT_EQ(got[t], t < 64 ? 16u : 0u);
}

TEST(Barriers, ExitedThreadsAreNotWaitedFor) {
  // A third of the threads of each warp, and all of warp 2, leave first.
  Program program;
  program.ptx = kernel_with(1,
                            "shr.u32 %r6, %r0, 5;\nsetp.eq.u32 %p1, %r6, 2;\n@%p1 exit;\nrem.u32 %r6, %r0, "
                            "3;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 ret;\n"
                            "mov.u32 %r9, tile;\nmad.lo.u32 %r5, %r0, 4, %r9;\nst.shared.u32 [%r5], 7;\nbar.sync "
                            "0;\nsetp.ne.u32 %p3, %r0, %r0;\nbar.red.or.pred %p3, 0, %p3;\n"
                            "ld.shared.u32 %r5, [tile+4];\n" +
                                std::string(kStoreResult),
                            ".shared .align 4 .b32 tile[128];");
  program.shape.block.x = 128;
  const std::vector<U32> got = results_of<U32>(program, 128);
  for (U32 t = 0; t < 128; ++t) EXPECT_EQ(got[t], t / 32 == 2 || t % 3 == 0 ? 0u : 7u) << t;
}

TEST(Barriers, LanesOfAWarpMayComeOneAfterTheOther) {
  // barrier.sync (not .aligned) in both branches of a divergent if.
  Program program;
  program.ptx = kernel_with(1,
                            "mov.u32 %r9, tile;\nmad.lo.u32 %r5, %r0, 4, %r9;\nst.shared.u32 [%r5], %r0;\nand.b32 %r6, "
                            "%r0, 1;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra ODD;\n"
                            "barrier.sync 0;\nbra JOIN;\nODD:\nbarrier.sync 0;\nJOIN:\nxor.b32 %r7, %r0, "
                            "33;\nmad.lo.u32 %r7, %r7, 4, %r9;\nld.shared.u32 %r5, [%r7];\n" +
                                std::string(kStoreResult),
                            ".shared .align 4 .b32 tile[64];");
  program.shape.block.x = 64;
  const std::vector<U32> got = results_of<U32>(program, 64);
  for (U32 t = 0; t < 64; ++t) EXPECT_EQ(got[t], t ^ 33);
}

TEST(Barriers, GuardedOnesHoldTheLanesTheyGuard) {
  // Only warp 0 and warp 1 come to the barrier, by a guard.
  Program program;
  program.ptx =
      kernel_with(1, "setp.lt.u32 %p1, %r0, 64;\n@%p1 bar.sync 1, 64;\nmov.u32 %r5, 3;\n" + std::string(kStoreResult));
  program.shape.block.x = 96;
  for (const U32 got : results_of<U32>(program, 96)) EXPECT_EQ(got, 3u);
}

TEST(Barriers, ThoseThatDoNotExistStopTheKernel) {
  for (const char* barrier :
       {"bar.sync 16;", "mov.u32 %r5, 99;\nbar.sync %r5;", "mov.u32 %r5, 40;\nbar.sync 1, %r5;",
        "mov.u32 %r5, 16;\nbar.arrive %r5, 32;", "mov.u32 %r5, 77;\nbar.red.popc.u32 %r6, %r5, %p1;"}) {
    Program program;
    program.ptx = kernel_with(0, barrier);
    const Result result = run(program, {});
    EXPECT_EQ(result.refusal, "") << barrier;
    EXPECT_EQ(result.outcome.fault.kind, FaultKind::kTrap) << barrier;
    EXPECT_NE(result.outcome.fault.sentence.find("barrier"), std::string::npos) << result.outcome.fault.sentence;
  }
}

TEST(Fences, OfEveryScopeAndKindAreTaken) {
  std::string body;
  for (const char* fence : {"membar.cta", "membar.gl", "membar.sys", "fence.acq_rel.cta", "fence.acq_rel.gpu",
                            "fence.sc.sys", "fence.sc.cluster", "fence.proxy.async", "fence.proxy.async.shared::cta",
                            "fence.proxy.async.global", "fence.mbarrier_init.release.cluster", "fence.proxy.alias",
                            "membar.proxy.alias", "fence.acquire.gpu", "fence.release.cta"})
    body += std::string(fence) + ";\n";
  Program program;
  program.ptx = kernel_with(
      1,
      body +
          "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\npmevent 1;\nnanosleep.u32 100;\nmov.u32 %r5, 9;\n" +
          kStoreResult);
  for (const U32 got : results_of<U32>(program, 32)) EXPECT_EQ(got, 9u);
}

TEST(Barriers, WhatIsNotThereIsRefused) {
  for (const char* instruction :
       {"bar.red.xor.pred %p1, 0, %p2;", "bar.wait 0;", "fence.foo;", "nanosleep.u32 %rd1;"}) {
    Program program;
    program.ptx = kernel_with(1, instruction);
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
