// Memory counters over whole kernels: every number is known by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "harness/vgpu/monitor/memcheck.h"
#include "harness/vgpu/monitor/racecheck.h"
#include "harness/vgpu/monitor/testing/timed_kernel.h"
#include "harness/vgpu/monitor/watchers.h"

namespace vgpu::test {
namespace {

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
            "global_atomic_sectors=4 global_atomic_depth=4 global_atomic_max_depth=1")
      << "all lanes add to one place: nvcc has one of them do it";
}

TEST(Counters, AtomicsThatNvccCombinesCountOneLane) {
  struct Atomic {
    const char* text;
    std::uint64_t sectors;
  };
  const std::string use = "st.global.u32 [%rd0+64], %r7;\n";
  for (const Atomic& atomic : {Atomic{"red.global.add.u32 [%rd0], %r0;", 1},
                               {"red.global.xor.b32 [%rd0], %r0;", 1},
                               {"atom.global.add.u32 %r7, [%rd0], 1;", 1},
                               {"atom.global.add.u32 %r7, [%rd0], %r0;", 1},
                               {"red.global.add.u64 [%rd0], 1;", 1},
                               {"red.global.add.u64 [%rd0], %rd1;", 32},
                               {"atom.global.max.u32 %r7, [%rd0], %r0;", 32},
                               {"atom.global.exch.b32 %r7, [%rd0], 1;", 32},
                               {"atom.global.cas.b32 %r7, [%rd0], 0, 1;", 32},
                               {"red.global.inc.u32 [%rd0], 100;", 32},
                               {"red.global.add.f32 [%rd0], 0f3F800000;", 32},
                               {"setp.ne.u32 %p1, %r0, 5;\n@%p1 atom.global.add.u32 %r7, [%rd0], 1;", 1},
                               {"setp.ne.u32 %p1, %r0, 5;\n@%p1 atom.global.add.u32 %r7, [%rd0], %r0;", 31}}) {
    const KernelCounts counts =
        counted({"cvt.u64.u32 %rd1, %r0;\nmov.u32 %r7, 0;\n" + std::string(atomic.text) + "\n" + use, 64});
    EXPECT_EQ(counts.totals.global_atomic_requests, 2u) << atomic.text;
    EXPECT_EQ(counts.totals.global_atomic_sectors,
              atomic.text[0] == 's' && atomic.sectors == 31 ? 31u + 32u - 31u : 2 * atomic.sectors)
        << atomic.text;
  }
}

// Reads of two bases in each round; the halves of the second one want one bank in every other round. Vectors of two
// more: a row, and a place of each half, which lie another distance apart in every other round.
TEST(Counters, ReadsThatTranslatedCodeMakesTogetherCountAsOneByOne) {
  const std::string body =
      "mov.u32 %r2, tile;\nand.b32 %r3, %r0, 31;\nshr.u32 %r4, %r3, 4;\nshl.b32 %r5, %r3, 2;\nadd.u32 %r10, %r2, %r5;\n"
      "mov.u32 %r8, 0;\nLOOP:\nand.b32 %r6, %r8, 1;\nmad.lo.u32 %r6, %r6, 124, 4;\nmul.lo.u32 %r6, %r6, %r4;\n"
      "add.u32 %r11, %r2, %r6;\n.loc 1 101 0\nld.shared.u32 %r12, [%r10+128];\n.loc 1 102 0\nld.shared.u32 %r13, "
      "[%r11];\n.loc 1 101 0\nld.shared.u32 %r14, [%r10+256];\n.loc 1 102 0\nld.shared.u32 %r15, [%r11+8];\n.loc 1 "
      "103 0\nmad.lo.u32 %r16, %r3, 16, %r2;\nand.b32 %r6, %r8, 1;\nmad.lo.u32 %r6, %r6, 16, 112;\n"
      "mad.lo.u32 %r17, %r6, %r4, %r2;\nbar.sync 0;\n.loc 1 104 0\nld.shared.v4.u32 {%r20, %r21, %r22, %r23}, "
      "[%r16+16];\n.loc 1 105 0\nld.shared.v4.u32 {%r24, %r25, %r26, %r27}, [%r17+32];\n.loc 1 106 0\n"
      "ld.shared.v2.u32 {%r28, %r29}, [%r17];\n.loc 1 107 0\nadd.u32 %r8, %r8, 1;\nsetp.lt.u32 %p1, %r8, 20;\n"
      "@%p1 bra LOOP;\n";
  std::vector<std::string> of_vectors;
  for (const char* const translate : {"never", "always"}) {
    SCOPED_TRACE(translate);
    setenv("LANEWISE_VGPU_TRANSLATE", translate, 1);
    const KernelCounts counts = counted({body, 64, 3, ".shared .align 16 .b8 tile[1024];\n"});
    unsetenv("LANEWISE_VGPU_TRANSLATE");
    const auto rows = of_line(counts, 101), places = of_line(counts, 102);
    EXPECT_EQ(rows.shared_load_requests, 6u * 20 * 2);
    EXPECT_EQ(rows.shared_load_wavefronts, 6u * 20 * 2);
    EXPECT_EQ(places.shared_load_requests, 6u * 20 * 2);
    EXPECT_EQ(places.shared_load_wavefronts, 6u * (10 * 2 + 10 * 2 * 2));
    EXPECT_EQ(of_line(counts, 104).shared_load_wavefronts, 6u * 20 * 4);
    of_vectors.push_back(spelled(of_line(counts, 104)) + spelled(of_line(counts, 105)) + spelled(of_line(counts, 106)));
  }
  EXPECT_EQ(of_vectors[1], of_vectors[0]);
}

TEST(Counters, LocalMemoryIsAskedForAWordOfEachLaneAtATime) {
  for (const std::uint32_t words : {1U, 2U, 4U}) {
    const std::string width = words == 1 ? "" : ".v" + std::to_string(words);
    const std::string values = words == 1 ? "%r0" : words == 2 ? "{%r0, %r0}" : "{%r0, %r0, %r0, %r0}";
    const KernelCounts counts = counted({".local .align 16 .b8 mine[16];\nmov.u64 %rd1, mine;\n.loc 1 101 0\nst.local" +
                                         width + ".u32 [%rd1], " + values + ";\n.loc 1 102 0\n"});
    const std::string count = std::to_string(words), sectors = std::to_string(4 * words);
    EXPECT_EQ(spelled(of_line(counts, 101)),
              "executions=1 thread_executions=32 local_store_requests=" + count + " local_store_sectors=" + sectors);
  }
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
    EXPECT_EQ(of_line(counts, 102).shared_atomic_conflicts, together - 1);
    EXPECT_EQ(of_line(counts, 102).shared_atomic_max_depth, together);
  }
}

TEST(Counters, HowLanesTakeTurnsAtAnAtomicDependsOnWhatItDoes) {
  const struct {
    const char* code;
    std::uint64_t conflicts;
  } rows[] = {
      // All 32 lanes at one address.
      {"atom.shared.add.u32 %r7, [%r8], 2;", 31},
      {"atom.shared.add.u32 %r7, [%r8], %r0;", 31},
      {"atom.shared.cas.b32 %r7, [%r8], 0, 1;", 62},
      {"atom.shared.add.u32 %r7, [%r8], 1;", 0},
      {"red.shared.add.u32 [%r8], 1;", 0},
      {"atom.shared.inc.u32 %r7, [%r8], -1;", 0},
      {"atom.shared.inc.u32 %r7, [%r8], 7;", 31},
      {"atom.shared.add.u32 %r7, [%r8], 1;\n.loc 1 102 0\nst.shared.u32 [%r8+4], %r7;", 31},  // the result is used
  };
  for (const auto& row : rows) {
    const std::string address =
        "mov.u32 %r9, tile;\nand.b32 %r8, %r0, 0;\nadd.u32 %r8, %r8, %r9;\n";  // which the text does not show
    const KernelCounts counts = counted(
        {address + ".loc 1 101 0\n" + row.code + "\n.loc 1 103 0\n", 32, 1, ".shared .align 4 .b8 tile[128];\n"});
    EXPECT_EQ(of_line(counts, 101).shared_atomic_conflicts, row.conflicts) << row.code;
  }
}

TEST(Counters, BulkCopiesMoveWholeSectors) {
  const struct {
    std::uint32_t begin, bytes;
    std::uint64_t sectors;
  } rows[] = {{0, 16384, 512}, {0, 16, 1}, {16, 16, 1}, {16, 32, 2}, {16, 160, 6}, {112, 32, 2}};
  for (const auto& row : rows) {
    const std::string bytes = std::to_string(row.bytes);
    std::string body =
        "mov.u32 %r8, tile;\nmbarrier.init.shared.b64 [bar], 1;\n"
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%r8], [%rd0+";
    body.append(std::to_string(row.begin)).append("], ").append(bytes).append(", [bar];\n");
    body += "cp.async.bulk.global.shared::cta.bulk_group [%rd0+";
    body.append(std::to_string(32768 + row.begin)).append("], [%r8], ").append(bytes).append(";\n");
    const KernelCounts counts =
        counted({body, 1, 1, ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 tile[16384];\n"});
    EXPECT_EQ(counts.traffic.l2_read_sectors, row.sectors) << row.begin << ", " << row.bytes;
    EXPECT_EQ(counts.traffic.l2_write_sectors, row.sectors) << row.begin << ", " << row.bytes;
    EXPECT_EQ(counts.totals.global_load_requests, 0u);
    EXPECT_EQ(counts.totals.other_load_requests, (row.bytes + 511) / 512) << row.begin << ", " << row.bytes;
    EXPECT_EQ(counts.totals.other_load_sectors, row.sectors) << row.begin << ", " << row.bytes;
    EXPECT_EQ(counts.totals.other_store_requests, (row.bytes + 511) / 512) << row.begin << ", " << row.bytes;
    EXPECT_EQ(counts.totals.other_store_sectors, row.sectors) << row.begin << ", " << row.bytes;
    EXPECT_EQ(spelled(counts.totals).find("shared"), std::string::npos) << spelled(counts.totals);
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

TEST(Counters, ConstantsAreServedOneAddressAtATime) {
  const struct {
    const char* index;
    std::uint64_t further;
  } rows[] = {{"mov.u32 %r5, 1;\n", 0},
              {"and.b32 %r5, %r0, 0;\n", 0},  // as it turns out
              {"and.b32 %r5, %r0, 1;\n", 1},
              {"shr.u32 %r5, %r0, 2;\n", 7},
              {"mov.u32 %r5, %r0;\n", 31}};
  for (const auto& row : rows) {
    const KernelCounts counts = counted(
        {std::string(row.index) + "mov.u64 %rd2, table;\nmul.wide.u32 %rd3, %r5, 4;\nadd.s64 %rd3, %rd2, %rd3;\n"
                                  "ld.const.u32 %r6, [%rd3];\n",
         32, 1, ".const .align 4 .b8 table[128];\n"});
    const std::uint64_t requests = std::max<std::uint64_t>(row.further, 1);  // the first ever has to be fetched
    EXPECT_EQ(counts.totals.other_load_requests, requests) << row.index;
    EXPECT_EQ(counts.totals.other_load_sectors, requests) << row.index;
    EXPECT_EQ(counts.totals.global_load_requests, 0u) << row.index;
  }
}

TEST(Counters, WhatWasReadIsForgottenWhereOthersMayHaveChangedIt) {
  const auto sectors_from_l2 = [](const char* between) {
    return counted({"ld.global.u32 %r5, [%rd0];\n" + std::string(between) +
                    "ld.global.u32 %r6, [%rd0];\nadd.u32 %r7, %r5, %r6;\nst.global.u32 [%rd0+64], %r7;\n"})
        .traffic.l2_read_sectors;
  };
  for (const char* const still_there : {"", "fence.acq_rel.cta;\n", "st.release.gpu.global.u32 [%rd0+256], %r5;\n"})
    EXPECT_EQ(sectors_from_l2(still_there), 1u) << still_there;
  for (const char* const gone : {"membar.gl;\n", "fence.acq_rel.gpu;\n", "fence.sc.sys;\n"})
    EXPECT_EQ(sectors_from_l2(gone), 2u) << gone;
  EXPECT_EQ(sectors_from_l2("ld.relaxed.gpu.global.u32 %r8, [%rd0+256];\n"), 2u) << "its own, no more";
  EXPECT_EQ(sectors_from_l2("ld.acquire.gpu.global.u32 %r8, [%rd0+256];\n"), 3u);
  EXPECT_EQ(sectors_from_l2("atom.acquire.gpu.global.add.u32 %r8, [%rd0+256], 1;\n"), 2u);
}

TEST(Counters, ConstantsThatTheirCacheDoesNotHoldAreFetched) {
  // All lanes want one word, 256 times, each so many bytes behind the one before, from a table of 4 KiB.
  const auto requests = [](const char* apart) {
    const std::string loop =
        "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nAGAIN:\nand.b32 %r7, %r5, 4095;\nmov.u64 %rd2, table;\n"
        "cvt.u64.u32 %rd3, %r7;\nadd.s64 %rd3, %rd2, %rd3;\nld.const.u32 %r8, [%rd3];\nadd.u32 %r5, %r5, " +
        std::string(apart) + ";\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 256;\n@%p1 bra AGAIN;\n";
    return counted({loop, 32, 1, ".const .align 64 .b8 table[4096];\n"}).totals.other_load_requests;
  };
  EXPECT_EQ(requests("0"), 1u);
  EXPECT_EQ(requests("4"), 16u) << "a line of 64 bytes at a time";
  EXPECT_EQ(requests("64"), 256u) << "4 KiB, four times, and each time it is gone again";
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
  EXPECT_LE(counts.traffic.dram_read_bytes, 514u << 10) << "rows of warps end within sectors: a few are read again";
}

/// The same, but every read is shown when it takes place.
class ShownCounters : public Counters {
 public:
  QuietRange quiet_range(const MemoryAccess&) override { return {}; }
};

template <class AnyCounters>
KernelCounts counted_by(const CountedKernel& kernel) {
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
  const CountedKernel kernel{half + rows + places + fill + "bar.sync 0;\nmov.u32 %r12, 0;\nLOOP:\n" + reads +
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

// The second could be counted as the first otherwise.
TEST(Counters, KernelsOfOneNameAndLengthAreToldApart) {
  Counters counters;
  counters.set_caches(kSmallCaches);
  for (const char* const body : {"mov.u32 %r7, 1;\n", "ld.global.u32 %r7, [%rd0];\n"}) {
    Program program = program_of({body});
    program.options.observer = &counters;
    run_cleanly(program, {Bytes(64)});
  }
  ASSERT_EQ(counters.kernels().size(), 2u);
  EXPECT_EQ(counters.kernels()[1].totals.global_load_requests, 1u);
}

TEST(Counters, LocalMemoryThatCachesHaveNoRoomForTakesAsLongAsOtherMemory) {
  constexpr std::uint32_t kThreads = 1024, kBlocks = 4, kStores = 256;
  const auto at_scale = [](std::uint32_t bytes) {  // stores all over so many, again and again
    const std::string body =
        ".local .align 4 .b8 own[" + std::to_string(bytes) +
        "];\nmov.u32 %r12, own;\nmov.u32 %r10, 0;\nWORD:\nand.b32 %r11, %r10, " + std::to_string(bytes - 4) +
        ";\nadd.u32 %r11, %r11, %r12;\nst.local.u32 [%r11], %r10;\nadd.u32 %r10, %r10, 4;\nsetp.lt.u32 %p1, %r10, " +
        std::to_string(4 * kStores) + ";\n@%p1 bra WORD;\n";
    return time_of_kernel({body, kThreads, kBlocks}).at_scale;
  };
  const double from_dram = 4.0 * kStores * kThreads * kBlocks / h200().dram_bytes_per_nanosecond();
  EXPECT_GT(at_scale(256), 0.7 * from_dram);
  EXPECT_LT(at_scale(4), 0.5 * from_dram) << "as many stores to what stays in the first level";
}

}  // namespace
}  // namespace vgpu::test
