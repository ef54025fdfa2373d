// counters over whole kernels: every number is known by hand, and nothing that a kernel does changes because it is
// counted.
#include "harness/vgpu/monitor/counters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/monitor/float_operations.h"
#include "harness/vgpu/monitor/memcheck.h"
#include "harness/vgpu/monitor/racecheck.h"
#include "harness/vgpu/monitor/watchers.h"

namespace vgpu::test {
namespace {

constexpr CacheSizes kSmallCaches = {2, 4096, 64 << 10, 64};

struct Kernel {
  std::string body;  ///< see kernel_with; lines begin with 100
  std::uint32_t threads = 32, blocks = 1;
  std::string outside = {};
  std::uint64_t buffer_bytes = 1 << 16;
};

Program program_of(const Kernel& kernel) {
  Program program;
  program.ptx = kernel_with(1, ".loc 1 100 0\n" + kernel.body, ".file 1 \"kernel.cu\"\n" + kernel.outside);
  program.shape = {{kernel.blocks, 1, 1}, {kernel.threads, 1, 1}, 0, false};
  return program;
}

KernelCounts counted(const Kernel& kernel) {
  Counters counters;
  counters.set_caches(kSmallCaches);
  Program program = program_of(kernel);
  program.options.observer = &counters;
  run_cleanly(program, {Bytes(kernel.buffer_bytes)});
  return counters.kernels().at(0);
}

Counts of_line(const KernelCounts& counts, std::uint32_t line) {
  const auto found =
      std::find_if(counts.lines.begin(), counts.lines.end(), [&](const LineCounts& l) { return l.line == line; });
  return found == counts.lines.end() ? Counts{} : found->counts;
}

/// "a=1 b=2": the counters that are not 0.
std::string spelled(const Counts& counts) {
  std::string text;
  for (const NamedCounter& counter : kNamedCounters)
    if (const std::uint64_t value = counts.*counter.value; value != 0)
      text += (text.empty() ? "" : " ") + std::string(counter.name) + "=" + std::to_string(value);
  return text;
}

/// %rd1 = the buffer + %r5 * bytes
std::string address(std::uint32_t bytes) {
  return "mul.wide.u32 %rd1, %r5, " + std::to_string(bytes) + ";\nadd.u64 %rd1, %rd1, %rd0;\n";
}

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

// --- memory ---

TEST(Counters, GlobalAccessesByKind) {
  const KernelCounts counts =
      counted({"mov.u32 %r5, %r1;\n" + address(4) + "mov.u32 %r7, 0;\n" + ".loc 1 101 0\nld.global.u32 %r6, [%rd1];\n" +
                   ".loc 1 102 0\nst.global.u32 [%rd1+4], %r7;\n" +
                   ".loc 1 103 0\nld.global.v4.u32 {%r10, %r11, %r12, %r13}, [%rd0];\n" +
                   ".loc 1 104 0\nred.global.add.u32 [%rd0], 1;\n.loc 1 105 0\n",
               64, 2});
  EXPECT_EQ(
      spelled(of_line(counts, 101)),
      "executions=4 thread_executions=128 global_load_requests=4 global_load_sectors=16 global_load_ideal_sectors=16");
  EXPECT_EQ(spelled(of_line(counts, 102)),
            "executions=4 thread_executions=128 global_store_requests=4 "
            "global_store_sectors=20 global_store_ideal_sectors=16");
  EXPECT_EQ(of_line(counts, 103).global_load_requests, 4u);
  EXPECT_EQ(of_line(counts, 103).global_load_sectors, 4u) << "all lanes read one place";
  EXPECT_EQ(spelled(of_line(counts, 104)),
            "executions=4 thread_executions=128 global_atomic_requests=4 "
            "global_atomic_sectors=4 global_atomic_depth=128 global_atomic_max_depth=32");
}

TEST(Counters, ContentionOfAtomics) {
  for (std::uint32_t together = 1; together <= 32; ++together) {
    const std::string place =
        "div.u32 %r5, %r0, " + std::to_string(together) + ";\n" + address(4) + "mul.lo.u32 %r6, %r5, 4;\n";
    const KernelCounts counts = counted({place + "mov.u32 %r8, tile;\nadd.u32 %r8, %r8, %r6;\n" +
                                             ".loc 1 101 0\natom.global.add.u32 %r7, [%rd1], 1;\n" +
                                             ".loc 1 102 0\natom.shared.add.u32 %r7, [%r8], 1;\n",
                                         32, 1, ".shared .align 4 .b8 tile[128];\n"});
    EXPECT_EQ(of_line(counts, 101).global_atomic_depth, together);
    EXPECT_EQ(of_line(counts, 101).global_atomic_max_depth, together);
    EXPECT_EQ(of_line(counts, 102).shared_atomic_requests, 1u);
    EXPECT_EQ(of_line(counts, 102).shared_atomic_depth, together);
    EXPECT_EQ(of_line(counts, 102).shared_atomic_max_depth, together);
  }
}

TEST(Counters, SharedAccessesByBanks) {
  const std::string place = "shl.b32 %r5, %r0, 3;\nmov.u32 %r6, tile;\nadd.u32 %r6, %r6, %r5;\n";  // every other word
  const KernelCounts counts =
      counted({place + ".loc 1 101 0\nst.shared.u32 [%r6], %r0;\n" + ".loc 1 102 0\nld.shared.u32 %r7, [%r6];\n" +
                   ".loc 1 103 0\nld.shared.v2.u32 {%r7, %r8}, [%r6];\n.loc 1 104 0\n",
               32, 1, ".shared .align 16 .b8 tile[1024];\n"});
  EXPECT_EQ(spelled(of_line(counts, 101)),
            "executions=1 thread_executions=32 shared_store_requests=1 "
            "shared_store_wavefronts=2 shared_store_conflicts=1");
  EXPECT_EQ(spelled(of_line(counts, 102)),
            "executions=1 thread_executions=32 shared_load_requests=1 "
            "shared_load_wavefronts=2 shared_load_conflicts=1");
  EXPECT_EQ(spelled(of_line(counts, 103)),
            "executions=1 thread_executions=32 shared_load_requests=1 shared_load_wavefronts=2");
}

TEST(Counters, GenericAddressesCountWhereTheyLead) {
  const std::string tile = "mov.u32 %r6, tile;\ncvt.u64.u32 %rd2, %r6;\ncvta.shared.u64 %rd2, %rd2;\n";
  const KernelCounts counts = counted({"mov.u32 %r5, %r0;\n" + address(4) + tile +
                                           ".loc 1 101 0\nld.u32 %r7, [%rd1];\nld.u32 %r7, [%rd2];\n.loc 1 102 0\n",
                                       32, 1, ".shared .align 16 .b8 tile[1024];\n"});
  EXPECT_EQ(of_line(counts, 101).global_load_requests, 1u);
  EXPECT_EQ(of_line(counts, 101).shared_load_requests, 1u);
}

TEST(Counters, ConstantsAndParametersAreNoGlobalAccesses) {
  const KernelCounts counts = counted({"ld.const.u32 %r5, [table];\n", 32, 1, ".const .align 4 .u32 table = 7;\n"});
  EXPECT_EQ(spelled(counts.totals).find("global"), std::string::npos) << spelled(counts.totals);
}

TEST(Counters, TheWorstAccessOfALineIsKept) {
  // A stride that grows from round to round and shrinks again: 1, 2, 3, 2, 1 floats.
  const KernelCounts counts = counted({R"(
mov.u32 %r6, 0;
LOOP:
sub.s32 %r7, 2, %r6;
abs.s32 %r7, %r7;
sub.s32 %r7, 3, %r7;
mul.lo.u32 %r5, %r0, %r7;
)" + address(4) + R"(
.loc 1 101 0
ld.global.u32 %r8, [%rd1+64];
add.u32 %r6, %r6, 1;
setp.lt.u32 %p1, %r6, 5;
@%p1 bra LOOP;
)"});
  EXPECT_EQ(of_line(counts, 101).global_load_sectors, 4u + 8 + 12 + 8 + 4);
  ASSERT_EQ(counts.patterns.size(), 1u);
  const AccessPattern& worst = counts.patterns[0];
  EXPECT_EQ(worst.line, 101u);
  EXPECT_EQ(worst.file, "kernel.cu");
  EXPECT_EQ(worst.addresses[1] - worst.addresses[0], 12u);
  EXPECT_EQ(worst.lanes, kAllLanes);
  EXPECT_EQ(worst.sectors, 12u);
  EXPECT_EQ(worst.ideal_sectors, 4u);
  EXPECT_EQ(worst.array, "buffer0");
  EXPECT_EQ(worst.first_index, 16);
}

TEST(Counters, PatternsTellSpacesAndKindsApart) {
  const KernelCounts counts =
      counted({"mov.u32 %r5, %r0;\n" + address(4) +
                   "mov.u32 %r6, tile;\nld.global.u32 %r7, [%rd1];\nst.global.u32 [%rd1], %r7;\n"
                   "st.shared.u32 [%r6], %r7;\nld.shared.u32 %r7, [%r6+4];\nred.global.add.u32 [%rd0], 1;\n",
               32, 1, ".shared .align 16 .b8 tile[1024];\n"});
  ASSERT_EQ(counts.patterns.size(), 5u);
  for (const AccessPattern& pattern : counts.patterns) EXPECT_EQ(pattern.line, 100u);
  const AccessPattern& shared_load = counts.patterns[3];
  EXPECT_EQ(shared_load.array, "tile");
  EXPECT_EQ(shared_load.first_index, 1);
  EXPECT_EQ(shared_load.ideal_wavefronts, 1u);
}

TEST(Counters, ACopyBeyondTheCacheGoesToDram) {
  // 512 KiB to 512 KiB, through 64 KiB of cache.
  const std::string body =
      "mov.u32 %r5, %r1;\n" + address(16) +
      "ld.global.v4.u32 {%r6, %r7, %r8, %r9}, [%rd1];\nst.global.v4.u32 [%rd1+524288], {%r6, %r7, %r8, %r9};\n";
  const KernelCounts counts = counted({body, 256, 128, {}, 1 << 20});
  EXPECT_EQ(counts.traffic.dram_read_bytes, 512u << 10);
  EXPECT_GE(counts.traffic.dram_write_bytes, (512u - 64) << 10);
  EXPECT_LE(counts.traffic.dram_write_bytes, 512u << 10);
  EXPECT_EQ(counts.traffic.l2_read_sectors, 16384u);
  EXPECT_EQ(counts.traffic.l2_write_sectors, 16384u);
}

TEST(Counters, AStencilBeyondTheCacheReadsEachElementOnce) {
  const std::string body = "add.u32 %r5, %r1, 1;\n" + address(4) +
                           "ld.global.u32 %r6, [%rd1-4];\nld.global.u32 %r7, [%rd1];\nld.global.u32 %r8, [%rd1+4];\n"
                           "add.u32 %r6, %r6, %r7;\nadd.u32 %r6, %r6, %r8;\nst.global.u32 [%rd1+524288], %r6;\n";
  const KernelCounts counts = counted({body, 256, 511, {}, 1 << 20});
  EXPECT_GE(counts.traffic.dram_read_bytes, 511u << 10);
  EXPECT_LE(counts.traffic.dram_read_bytes, 512u << 10);
}

/// The same, but every read is shown when it takes place.
class ShownCounters : public Counters {
 public:
  QuietRange quiet_range(const MemoryAccess&) override { return {}; }
};

template <class AnyCounters>
KernelCounts counted_by(const Kernel& kernel) {
  AnyCounters counters;
  counters.set_caches(kSmallCaches);
  FindingList findings;
  Memcheck memcheck(findings);
  Racecheck racecheck(findings);
  Watchers all;
  all.watch_with({&memcheck, &racecheck, &counters});
  Program program = program_of(kernel);
  program.options.observer = &all;
  run_cleanly(program, {Bytes(kernel.buffer_bytes)});
  EXPECT_TRUE(findings.empty());
  return counters.kernels().at(0);
}

TEST(Counters, ReadsThatAreNotedCountAsOthersDo) {
  // Rows, single places and both, of 1 to 8 bytes, agreeing about banks or not, again and again between barriers.
  const std::string half = "and.b32 %r5, %r0, 15;\nand.b32 %r9, %r0, 16;\nmov.u32 %r6, tile;\n";
  const std::string rows =
      "shl.b32 %r7, %r5, 2;\nshl.b32 %r8, %r9, 3;\nadd.u32 %r7, %r7, %r8;\nadd.u32 %r7, %r6, %r7;\n";
  const std::string places = "shl.b32 %r8, %r9, 3;\nadd.u32 %r10, %r6, %r8;\n";  // 128 bytes apart: one bank
  const std::string reads =
      ".loc 1 101 0\nld.shared.u32 %r20, [%r7];\n.loc 1 102 0\nld.shared.u32 %r20, [%r10];\n"
      ".loc 1 103 0\nld.shared.u32 %r20, [%r6];\n.loc 1 104 0\nld.shared.u8 %r20, [%r6+7];\n"
      ".loc 1 105 0\nld.shared.u64 %rd20, [%r10];\n.loc 1 106 0\n";
  const std::string fill =
      "shl.b32 %r11, %r0, 2;\nadd.u32 %r11, %r6, %r11;\nst.shared.u32 [%r11], %r0;\nst.shared.u32 [%r11+256], %r0;\n";
  const Kernel kernel{half + rows + places + fill + "bar.sync 0;\nmov.u32 %r12, 0;\nLOOP:\n" + reads +
                          "bar.sync 0;\nadd.u32 %r12, %r12, 1;\nsetp.lt.u32 %p1, %r12, 50;\n@%p1 bra LOOP;\n",
                      64, 2, ".shared .align 16 .b8 tile[1024];\n"};
  const KernelCounts shown = counted_by<ShownCounters>(kernel), noted = counted_by<Counters>(kernel);
  for (std::uint32_t line = 100; line <= 106; ++line)
    EXPECT_EQ(spelled(of_line(noted, line)), spelled(of_line(shown, line))) << line;
  EXPECT_EQ(spelled(of_line(noted, 102)),
            "executions=200 thread_executions=6400 shared_load_requests=200 "
            "shared_load_wavefronts=400 shared_load_conflicts=200");
  ASSERT_EQ(noted.patterns.size(), shown.patterns.size());
  for (std::size_t n = 0; n < noted.patterns.size(); ++n)
    EXPECT_EQ(noted.patterns[n].addresses[17], shown.patterns[n].addresses[17]);
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

TEST(Counters, ChangeNothing) {
  // Loops, calls' kin, atomics whose results depend on the order of warps, shuffles between parted lanes.
  const Kernel kernel{"and.b32 %r6, %r0, 7;\nmov.u32 %r5, 0;\nLOOP:\nsetp.gt.u32 %p1, %r5, %r6;\n@%p1 bra DONE;\n" +
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
