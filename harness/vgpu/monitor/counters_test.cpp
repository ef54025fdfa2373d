// Counters over whole kernels: every number is known by hand, and nothing that a kernel does changes because it is
// counted.
#include "harness/vgpu/monitor/counters.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/vgpu/monitor/testing/counted_kernel.h"

namespace vgpu::test {
namespace {

// --- instructions ---

TEST(Counters, CountInstructionsWhereverTheyAre) {
  const KernelCounts counts =
      counted({"mov.u32 %r5, 1;\nmov.u32 %r6, 2;\n.loc 1 101 0\nadd.u32 %r5, %r5, %r6;\n", 70, 3});
  // Warps of 32, 32 and 6 threads in each of 3 blocks.
  EXPECT_EQ(spelled(of_line(counts, 100)), "executions=18 thread_executions=420");
  EXPECT_EQ(spelled(of_line(counts, 101)), "executions=18 thread_executions=420") << "and the return";
  EXPECT_EQ(counts.totals.executions, 9u * 9);  // and the five that kernel_with begins with
  EXPECT_EQ(counts.launches, 1u);
  EXPECT_EQ(counts.grid.x, 3u);
  EXPECT_EQ(counts.block.x, 70u);
}

TEST(Counters, ALoopOfEachThreadsOwnLengthDiverges) {
  const KernelCounts counts = counted({R"(
mov.u32 %r5, 0;
LOOP:
.loc 1 101 0
setp.ge.u32 %p1, %r5, %r0;
@%p1 bra DONE;
.loc 1 102 0
add.u32 %r5, %r5, 1;
bra LOOP;
DONE:
.loc 1 103 0
mov.u32 %r6, 0;
)"});
  // In round k, 32 - k lanes are still there; the last of them leaves alone.
  EXPECT_EQ(spelled(of_line(counts, 101)), "executions=64 thread_executions=1056 branches=32 divergent_branches=31");
  EXPECT_EQ(spelled(of_line(counts, 102)), "executions=62 thread_executions=992");
  EXPECT_EQ(spelled(of_line(counts, 103)), "executions=2 thread_executions=64");
}

TEST(Counters, ABranchThatSomeLanesTakeIsDivergent) {
  for (std::uint32_t lanes = 0; lanes <= 32; ++lanes) {
    const KernelCounts counts =
        counted({"setp.lt.u32 %p1, %r0, " + std::to_string(lanes) +
                 ";\n.loc 1 101 0\n@!%p1 bra OVER;\n.loc 1 102 0\nmov.u32 %r5, 1;\nmov.u32 %r5, 2;\n"
                 "OVER:\n.loc 1 103 0\nmov.u32 %r5, 3;\n"});
    const Counts branch = of_line(counts, 101), inside = of_line(counts, 102), behind = of_line(counts, 103);
    EXPECT_EQ(branch.branches, 1u);
    EXPECT_EQ(branch.divergent_branches, lanes != 0 && lanes != 32 ? 1u : 0u) << lanes;
    EXPECT_EQ(inside.executions, lanes != 0 ? 2u : 0u) << lanes;
    EXPECT_EQ(inside.thread_executions, 2 * lanes);
    EXPECT_EQ(behind.thread_executions, 64u) << "lanes meet again";
    EXPECT_EQ(behind.executions, 2u);
  }
}

TEST(Counters, ASwitchIsExecutedOncePerWay) {
  const KernelCounts counts = counted({R"(
and.b32 %r6, %r0, 3;
.loc 1 101 0
brx.idx %r6, WAYS;
WAYS: .branchtargets A, B, C, A;
A:
.loc 1 102 0
bra JOIN;
B:
.loc 1 103 0
mov.u32 %r5, 1;
C:
.loc 1 104 0
mov.u32 %r5, 2;
JOIN:
.loc 1 105 0
mov.u32 %r5, 3;
)"});
  const Counts branch = of_line(counts, 101);
  EXPECT_EQ(branch.branches, 4u) << "lanes go by the number they hold";
  EXPECT_EQ(branch.divergent_branches, 3u);
  EXPECT_EQ(branch.thread_executions, 32u);
  EXPECT_EQ(of_line(counts, 102).thread_executions, 16u);
  EXPECT_EQ(of_line(counts, 103).thread_executions, 8u);
  EXPECT_EQ(of_line(counts, 105).thread_executions, 64u);
}

TEST(Counters, FunctionsHaveLinesOfTheirOwn) {
  const std::string function =
      ".func (.param .b32 out) twice(.param .b32 in)\n{\n.reg .b32 %r<4>;\n.loc 1 200 0\nld.param.b32 %r1, [in];\n"
      "add.u32 %r2, %r1, %r1;\nst.param.b32 [out], %r2;\nret;\n}\n";
  const std::string call =
      "{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %r0;\n.loc 1 101 0\n@%p1 call (r), twice, (a);\n"
      ".loc 1 102 0\nld.param.b32 %r5, [r];\n}\n";
  const KernelCounts counts = counted({"setp.lt.u32 %p1, %r0, 8;\n" + call, 32, 1, function});
  EXPECT_EQ(spelled(of_line(counts, 101)), "executions=1 thread_executions=32");
  EXPECT_EQ(spelled(of_line(counts, 200)), "executions=4 thread_executions=32") << "8 lanes; parameters are registers";
  EXPECT_EQ(spelled(counts.totals).find("local"), std::string::npos);
}

TEST(Counters, LanesThatLeaveAreCountedNoMore) {
  const KernelCounts counts =
      counted({"setp.ge.u32 %p1, %r0, 5;\n@%p1 exit;\n.loc 1 101 0\nmov.u32 %r5, 1;\nmov.u32 %r5, 2;\n"});
  EXPECT_EQ(spelled(of_line(counts, 101)), "executions=3 thread_executions=15");
}

TEST(Counters, LinesOfSeveralLaunchesAddUp) {
  Counters counters;
  counters.set_caches(kSmallCaches);
  Program program = program_of({"mov.u32 %r5, 1;\n"});
  program.options.observer = &counters;
  for (int launch = 0; launch < 3; ++launch) run_cleanly(program, {Bytes(64)});
  const std::vector<KernelCounts> kernels = counters.kernels();
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].launches, 3u);
  EXPECT_EQ(spelled(of_line(kernels[0], 100)), "executions=6 thread_executions=192");
}

TEST(Counters, AKernelThatFailsIsCountedUpToThere) {
  Counters counters;
  counters.set_caches(kSmallCaches);
  Program program = program_of({"mov.u32 %r5, 1;\n.loc 1 101 0\ntrap;\n.loc 1 102 0\nmov.u32 %r5, 2;\n"});
  program.options.observer = &counters;
  run(program, {Bytes(64)});
  const KernelCounts counts = counters.kernels().at(0);
  EXPECT_EQ(of_line(counts, 101).executions, 1u);
  EXPECT_EQ(of_line(counts, 102).executions, 0u);
}

// --- barriers ---

TEST(Counters, ABarrierThatAllReachAtOnceCostsNoWait) {
  const KernelCounts counts =
      counted({".loc 1 101 0\nbar.sync 0;\nbar.sync 0;\n.loc 1 102 0\nmov.u32 %r5, 1;\n", 128, 2});
  EXPECT_EQ(spelled(of_line(counts, 101)), "executions=16 thread_executions=512 barriers=16");
}

TEST(Counters, WarpsWaitForWhatTheSlowestDoesMore) {
  std::string work;
  for (int n = 0; n < 10; ++n) work += "add.u32 %r5, %r0, 1;\n";
  const KernelCounts counts =
      counted({"setp.ge.u32 %p1, %r0, 32;\n@%p1 bra OVER;\n" + work + "OVER:\n.loc 1 101 0\nbar.sync 0;\n", 128});
  EXPECT_EQ(of_line(counts, 101).barriers, 4u);
  EXPECT_EQ(of_line(counts, 101).barrier_wait, 30u) << "three warps, for ten instructions";

  ASSERT_TRUE(counts.timeline.recorded);
  EXPECT_FALSE(counts.timeline.truncated);
  ASSERT_EQ(counts.timeline.warps.size(), 4u);
  EXPECT_EQ(counts.timeline.warps[0].size(), 1u);
  const std::vector<TimelineSpan>& waits = counts.timeline.warps[2];
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_EQ(waits[1].state, TimelineSpan::State::kAtBarrier);
  EXPECT_EQ(waits[1].end - waits[1].begin, 10u);
  EXPECT_EQ(waits[1].line, 101u);
  EXPECT_EQ(waits[2].begin, waits[1].end);
}

TEST(Counters, VotesAtABarrierCountOnce) {
  const KernelCounts counts =
      counted({"setp.lt.u32 %p1, %r0, 40;\n.loc 1 101 0\nbarrier.red.popc.u32 %r5, 0, %p1;\n"
               ".loc 1 102 0\nmov.u32 %r6, 0;\n",
               64});
  EXPECT_EQ(spelled(of_line(counts, 101)), "executions=2 thread_executions=64 barriers=2");
}

TEST(Counters, WhoOnlyArrivesDoesNotWait) {
  // Warp 1 says that it has come, and is done long before warp 0 is.
  const KernelCounts counts =
      counted({"setp.ge.u32 %p1, %r0, 32;\n@%p1 bra OTHER;\nadd.u32 %r5, %r0, 1;\nadd.u32 %r5, %r0, 1;\n"
               ".loc 1 101 0\nbarrier.sync 1, 64;\nbra JOIN;\nOTHER:\n.loc 1 102 0\nbarrier.arrive 1, 64;\nJOIN:\n",
               64});
  EXPECT_EQ(of_line(counts, 102).barriers, 1u);
  EXPECT_EQ(of_line(counts, 102).barrier_wait, 0u);
  EXPECT_EQ(counts.timeline.warps.at(1).size(), 1u);
}

TEST(Counters, TheTimelineShowsHowManyLanesAreActive) {
  const KernelCounts counts =
      counted({"setp.ge.u32 %p1, %r0, 8;\n@%p1 bra OVER;\n.loc 1 101 0\nadd.u32 %r5, %r0, 1;\n"
               "add.u32 %r5, %r0, 1;\nOVER:\n.loc 1 102 0\nadd.u32 %r5, %r0, 1;\n"});
  const std::vector<TimelineSpan>& spans = counts.timeline.warps.at(0);
  ASSERT_EQ(spans.size(), 3u);
  EXPECT_EQ(spans[0].active_lanes, 32u);
  EXPECT_EQ(spans[1].active_lanes, 8u);
  EXPECT_EQ(spans[1].line, 101u);
  EXPECT_EQ(spans[2].active_lanes, 32u);
}

TEST(Counters, TheTimelineIsOfTheBlockAskedFor) {
  Counters counters;
  counters.set_caches(kSmallCaches);
  counters.keep_timeline_of({2, 0, 0});
  Program program = program_of({"mov.u32 %r5, 1;\n", 32, 4});
  program.options.observer = &counters;
  run_cleanly(program, {Bytes(64)});
  EXPECT_TRUE(counters.kernels().at(0).timeline.recorded);
  EXPECT_EQ(counters.kernels().at(0).timeline.block.x, 2u);
}

TEST(Counters, ALongTimelineIsCut) {
  const KernelCounts counts = counted({R"(
mov.u32 %r5, 0;
LOOP:
and.b32 %r6, %r0, 1;
setp.eq.u32 %p1, %r6, 1;
@%p1 bra OVER;
add.u32 %r7, %r5, 1;
OVER:
add.u32 %r5, %r5, 1;
setp.lt.u32 %p2, %r5, 3000;
@%p2 bra LOOP;
)"});
  EXPECT_TRUE(counts.timeline.truncated);
  EXPECT_EQ(counts.timeline.warps.at(0).size(), 4096u);
}

// --- operations ---

TEST(FloatOperations, AreThoseOfTheInstruction) {
  const KernelCounts counts = counted({R"(
fma.rn.f32 %r5, %r6, %r7, %r8;
add.rn.ftz.f32 %r5, %r6, %r7;
sub.f32 %r5, %r6, %r7;
mul.f64 %rd5, %rd6, %rd7;
fma.rn.f64 %rd5, %rd6, %rd7, %rd8;
sqrt.approx.f32 %r5, %r6;
min.f32 %r5, %r6, %r7;
neg.f32 %r5, %r6;
add.u32 %r5, %r6, %r7;
mad.lo.s32 %r5, %r6, %r7, %r8;
fma.rn.f16x2 %r5, %r6, %r7, %r8;
mul.f16 %h1, %h2, %h3;
)"});
  EXPECT_EQ(counts.operations.fp32, 32u * (2 + 1 + 1 + 1));
  EXPECT_EQ(counts.operations.fp64, 32u * (1 + 2));
  EXPECT_EQ(counts.operations.fp16, 32u * (4 + 1));
}

// --- what is counted is as it would be ---

/// Wants to see every instruction, as initcheck does while it follows a value.
class SteppingCounters : public Counters {
 public:
  void block_begins(const Block& block) override {
    Counters::block_begins(block);
    for (const Warp& warp : block.warps()) warp.stepping = true;
  }
};

TEST(Counters, AreTheSameInstructionByInstruction) {
  const CountedKernel kernel{
      "mov.u32 %r5, 0;\nLOOP:\n.loc 1 101 0\nsetp.ge.u32 %p1, %r5, %r0;\n@%p1 bra DONE;\n.loc 1 102 0\n"
      "add.u32 %r5, %r5, 1;\nbra LOOP;\nDONE:\n.loc 1 103 0\nbar.sync 0;\n"
      "shfl.sync.bfly.b32 %r8, %r5, 3, 31, -1;\nst.global.u32 [%rd0], %r8;\n",
      64};
  SteppingCounters stepping;
  stepping.set_caches(kSmallCaches);
  Program program = program_of(kernel);
  program.options.observer = &stepping;
  run_cleanly(program, {Bytes(64)});
  const KernelCounts expected = counted(kernel), got = stepping.kernels().at(0);
  ASSERT_EQ(got.lines.size(), expected.lines.size());
  for (std::size_t n = 0; n < got.lines.size(); ++n)
    EXPECT_EQ(spelled(got.lines[n].counts), spelled(expected.lines[n].counts)) << got.lines[n].line;
}

TEST(Counters, ChangeNothing) {
  // Loops, calls' kin, atomics whose results depend on the order of warps, shuffles between parted lanes.
  const CountedKernel kernel{
      "and.b32 %r6, %r0, 7;\nmov.u32 %r5, 0;\nLOOP:\nsetp.gt.u32 %p1, %r5, %r6;\n@%p1 bra DONE;\n" +
          std::string("atom.global.add.u32 %r7, [%rd0], %r6;\nadd.u32 %r5, %r5, 1;\nbra LOOP;\nDONE:\n"
                      "bar.sync 0;\nshfl.sync.bfly.b32 %r8, %r7, 3, 31, -1;\nadd.u32 %r5, %r1, 1;\n") +
          address(4) + "st.global.u32 [%rd1], %r8;\n",
      160, 5};
  for (const std::uint64_t seed : {0u, 1u, 5u, 77u}) {
    Program plain = program_of(kernel);
    plain.watch = Watch::kEverything;
    plain.options.schedule_seed = seed;
    plain.options.resident_blocks = 3;
    const Result expected = run(plain, {Bytes(4096)});

    Counters counters;
    counters.set_caches(kSmallCaches);
    Program watched = plain;
    watched.options.observer = &counters;
    const Result got = run(watched, {Bytes(4096)});
    EXPECT_EQ(got.buffers, expected.buffers) << seed;
    EXPECT_EQ(got.outcome.warp_instructions, expected.outcome.warp_instructions) << seed;
    EXPECT_EQ(got.outcome.thread_instructions, expected.outcome.thread_instructions) << seed;
  }
}

}  // namespace
}  // namespace vgpu::test
