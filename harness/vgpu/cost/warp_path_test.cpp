// What a warp waits for: the longest chain of a block of code, whatever else is on its way meanwhile.
#include "harness/vgpu/cost/warp_path.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/ptx/parser.h"

namespace vgpu::test {
namespace {

/// Of a kernel with that body: what it adds to a warp's way, all in all.
WarpPath whole_path(const std::string& body) {
  const auto path = [](const std::string& text) {
    const auto parsed = ptx::parse(kernel_with(1, text));
    const auto& module = std::get<ptx::Module>(parsed);
    WarpPath sum;
    for (const PathStep& step : path_of(*ptx::find_function(module, "test"))) sum += step.added;
    return sum;
  };
  const std::string own_block = "bra BODY;\nBODY:\n";
  return path(own_block + body) - path(own_block);
}

constexpr const char* kFourReads =
    "ld.global.u32 %r2, [%rd0];\nld.global.u32 %r3, [%rd0+4];\nld.global.u32 %r4, [%rd0+8];\n"
    "ld.global.u32 %r5, [%rd0+12];\nadd.u32 %r2, %r2, %r3;\nadd.u32 %r4, %r4, %r5;\n";

TEST(WarpPath, ReadsThatDoNotDependOnEachOtherAreWaitedForOnce) { EXPECT_EQ(whole_path(kFourReads).global_waits, 1); }

TEST(WarpPath, WhatMachineCodeHasNoInstructionForIsAsLongAsWhatItIsMadeOf) {
  EXPECT_GE(whole_path("fns.b32 %r2, %r3, 0, 3;\n").clocks, 30);
  EXPECT_GE(whole_path("vset.u32.u32.ge %r2, %r3.b0, %r4.b1;\n").clocks, 7);
  EXPECT_GE(whole_path("vabsdiff4.s32.s32.s32.add %r2, %r3, %r4, %r5;\n").clocks, 35);
  EXPECT_LE(whole_path("vabsdiff4.u32.u32.u32.add %r2, %r3, %r4, %r5;\n").clocks, 4);
}

TEST(WarpPath, AParameterIsLoadedIfWhichOneIsKnownAtRunTimeOnly) {
  EXPECT_EQ(whole_path("ld.param.u32 %r2, [p0];\nadd.u32 %r3, %r2, 1;\n").shared_waits, 0);
  EXPECT_EQ(whole_path("mov.b64 %rd3, p0;\ncvt.u64.u32 %rd2, %r0;\nadd.u64 %rd3, %rd3, %rd2;\n"
                       "ld.param.u32 %r2, [%rd3];\nadd.u32 %r3, %r2, 1;\n")
                .shared_waits,
            1);
}

TEST(WarpPath, AChainOfReadsIsWaitedForLinkByLink) {
  std::string chain;
  for (int link = 0; link < 5; ++link) chain += "ld.global.u64 %rd0, [%rd0];\n";
  EXPECT_EQ(whole_path(chain + "st.global.u64 [%rd0], %rd0;\n").global_waits, 5);
}

TEST(WarpPath, ReadsThatOnlyALaterBlockOfCodeNeedsAreWaitedForTogether) {
  const std::string guarded =
      "@%p1 bra A;\nld.global.u32 %r2, [%rd0];\nA:\n@%p2 bra B;\nld.global.u32 %r3, [%rd0+4];\nB:\n";
  EXPECT_EQ(whole_path(guarded + "add.u32 %r2, %r2, %r3;\n").global_waits, 1);
  EXPECT_EQ(whole_path(guarded).global_waits, 0) << "nothing needs them";
}

TEST(WarpPath, WhatALoopAsksForAtItsEndItWaitsForAtItsBeginning) {
  const std::string loop =
      "LOOP:\nadd.u64 %rd1, %rd1, %rd2;\nsetp.eq.u64 %p1, %rd1, 0;\n@%p1 bra DONE;\n"
      "ld.global.u64 %rd2, [%rd0];\nbra LOOP;\nDONE:\n";
  EXPECT_EQ(whole_path(loop).global_waits, 1);
}

/// How often a warp waits that goes to USE right away.
std::int64_t waits_of_use(const std::string& between) {
  const std::string body =
      "ld.global.u32 %r2, [%rd0];\n@%p1 bra USE;\nbra DEAD;\n" + between + "USE:\nadd.u32 %r3, %r2, %r2;\nret;\n";
  const auto parsed = ptx::parse(kernel_with(1, body));
  const ptx::Function& kernel = *ptx::find_function(std::get<ptx::Module>(parsed), "test");
  std::int64_t waits = 0;
  for (std::size_t n = 0; n < kernel.body.size(); ++n)
    if (kernel.body[n].opcode == "add") waits = path_of(kernel)[n].added.global_waits;
  return waits;
}

TEST(WarpPath, WhoWaitsElsewhereInTheTextWaitsForNobodyElse) {
  EXPECT_EQ(waits_of_use("DEAD:\n"), 1);
  EXPECT_EQ(waits_of_use("DEAD:\nmul.lo.u32 %r4, %r2, %r2;\nst.global.u32 [%rd0], %r4;\n"), 1) << "uses it";
  EXPECT_EQ(waits_of_use("DEAD:\nmov.u32 %r2, 7;\n"), 1) << "overwrites it";
  EXPECT_EQ(waits_of_use("DEAD:\nld.shared.u32 %r2, [%r5];\nret;\n"), 1);
}

TEST(WarpPath, ReadsAreWaitedForWhereverTheTextHasThem) {
  // The blocks of a straight line, the last of them first.
  std::string backwards = "bra B0;\nUSE:\nadd.u32 %r3, %r2, %r2;\nret;\n";
  constexpr int kBlocks = 40;
  for (int n = kBlocks - 1; n >= 0; --n)
    backwards += "B" + std::to_string(n) + ":\n" + (n == 0 ? "ld.global.u32 %r2, [%rd0];\n" : "") + "bra " +
                 (n == kBlocks - 1 ? "USE" : "B" + std::to_string(n + 1)) + ";\n";
  EXPECT_EQ(whole_path(backwards).global_waits, 1);
}

TEST(WarpPath, AWaitIsAsLongAsTheSlowestOfItsReads) {
  ReadsUnderWay reads;
  const Stretch two{{0, 0, 2, 0, 0, 0}, 0b11, 0};
  reads.add(0, MemoryLevel::kL1), reads.add(0, MemoryLevel::kDram), reads.add(1, MemoryLevel::kL2),
      reads.add(7, MemoryLevel::kDram);
  const WarpPath settled = reads.settle(two);
  EXPECT_EQ(settled.dram_waits, 1);
  EXPECT_EQ(settled.l2_waits, 1);
  EXPECT_EQ(settled.l1_waits + settled.global_waits, 0);
  reads.end(two);
  EXPECT_EQ(reads.settle(two).global_waits, 2) << "it is not known of what nobody has told";
  EXPECT_EQ(reads.settle({{0, 0, 1, 0, 0, 0}, 1 << 7, 0}).dram_waits, 1) << "that one has not been waited for";
}

TEST(WarpPath, ReadsInAnotherBlockOfCodeComeAfter) {
  EXPECT_EQ(whole_path(std::string(kFourReads) + "bra NEXT;\nNEXT:\n" + kFourReads).global_waits, 2);
}

TEST(WarpPath, WhatMayBeOverwrittenHasToBeThere) {
  const std::string load = "ld.global.u32 %r2, [%rd0];\nbra NEXT;\nNEXT:\n",
                    use = "add.u32 %r3, %r2, 1;\nst.global.u32 [%rd0], %r3;\n";
  EXPECT_EQ(whole_path(load + "@%p1 mov.u32 %r2, 0;\n" + use).global_waits, whole_path(load + use).global_waits);
  EXPECT_EQ(whole_path(load + "@%p1 add.u32 %r2, %r4, 1;\n" + use).global_waits, whole_path(load + use).global_waits);
}

// The path of the function that it is passed to says nothing of it.
TEST(WarpPath, WhatIsPassedToACallIsWaitedFor) {
  EXPECT_EQ(whole_path(".param .b32 passed;\nld.global.u32 %r2, [%rd0];\nst.param.b32 [passed], %r2;\n").global_waits,
            1);
}

TEST(WarpPath, ReadsAfterABarrierComeAfter) {
  const WarpPath path = whole_path(std::string(kFourReads) + "bar.sync 0;\n" + kFourReads);
  EXPECT_EQ(path.global_waits, 2);
  EXPECT_EQ(path.shared_waits, 1) << "the barrier itself";
}

TEST(WarpPath, ATextureFetchTakesLongerThanALoad) {
  const std::string use = "add.u32 %r3, %r2, 1;\nst.global.u32 [%rd0], %r3;\n";
  const WarpPath load = whole_path("ld.global.u32 %r2, [%rd0];\n" + use);
  const WarpPath fetch = whole_path("tex.1d.v4.u32.s32 {%r2, %r4, %r5, %r6}, [%rd0, {%r0}];\n" + use);
  EXPECT_EQ(fetch.global_waits, load.global_waits);
  EXPECT_EQ(fetch.clocks, load.clocks + 61);
}

TEST(WarpPath, NobodyWaitsForStores) {
  EXPECT_EQ(whole_path("st.global.u32 [%rd0], %r0;\nst.global.u32 [%rd0+4], %r0;\n").global_waits, 0);
}

TEST(WarpPath, NobodyWaitsForWhatAnAtomicGivesBackUnused) {
  EXPECT_EQ(whole_path("atom.global.add.u32 %r7, [%rd0], 1;\n").global_waits, 0);
  EXPECT_EQ(whole_path("atom.global.add.u32 %r7, [%rd0], 1;\nst.global.u32 [%rd0], %r7;\n").global_waits, 1);
}

TEST(WarpPath, ComputingTakesClocks) {
  std::string dependent, independent;
  for (int n = 2; n < 18; ++n) {
    dependent += "add.u32 %r2, %r2, %r0;\n";
    independent += "add.u32 %r" + std::to_string(n) + ", %r0, %r1;\n";
  }
  EXPECT_GE(whole_path(dependent).clocks, 15 * 4);
  EXPECT_LE(whole_path(independent).clocks, 16) << "one a clock";
}

TEST(WarpPath, MovesCostNothing) {
  EXPECT_EQ(whole_path("mov.u32 %r2, %r0;\nmov.u32 %r3, %r2;\ncvta.to.global.u64 %rd3, %rd0;\n").clocks, 0);
}

}  // namespace
}  // namespace vgpu::test
