// Most reads of shared memory are noted, and shown to observers later and together. Nobody must be able to tell.
#include "harness/vgpu/machine/noted_reads.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/monitor/initcheck.h"
#include "harness/vgpu/monitor/memcheck.h"
#include "harness/vgpu/monitor/racecheck.h"
#include "harness/vgpu/monitor/watchers.h"

namespace vgpu {
namespace {

using test::Bytes;
using test::Program;

/// The checkers that watch accesses; `notes_reads` false: they are shown every read when it takes place.
class Checkers : public Watchers {
 public:
  explicit Checkers(bool notes_reads) : notes_reads_(notes_reads) {
    watch_with({&memcheck_, &initcheck_, &racecheck_});
  }

  QuietRange quiet_range(const MemoryAccess& access) override {
    return notes_reads_ ? Watchers::quiet_range(access) : QuietRange{};
  }

  std::vector<std::string> found() const {
    std::vector<std::string> texts;
    for (const Finding& f : findings_.all())
      texts.push_back(f.kind + " in line " + std::to_string(f.line) + " x " + std::to_string(f.count) + ": " +
                      f.sentence);
    return texts;
  }

 private:
  bool notes_reads_;
  FindingList findings_;
  Memcheck memcheck_{findings_};
  Initcheck initcheck_{findings_};
  Racecheck racecheck_{findings_};
};

/// Counts reads of shared memory, however they are shown. Whoever counts gives every range away.
class Counter : public Observer {
 public:
  Mask access(const MemoryAccess& access) override {
    if (access.space == ptx::Space::kShared && access.kind == AccessKind::kLoad) count(access);
    return access.lanes;
  }
  QuietRange quiet_range(const MemoryAccess&) override { return {0, 1 << 16}; }
  bool wants_noted_reads() const override { return true; }
  void reads_were_noted(const Block& block, const NotedReads& reads) override {
    reads.each(block.warps(), [&](const NotedRead& read) {
      ++noted;
      EXPECT_FALSE(read.was_shown) << "nobody here puts reads there himself";
      EXPECT_EQ(instruction_of(*read.code, *read.access.insn).opcode, "ld");
      count(read.access);
    });
  }

  std::uint64_t noted = 0;
  std::map<std::uint64_t, std::uint64_t> reads_of;  ///< by address

 private:
  void count(const MemoryAccess& access) {
    for (int lane = 0; lane < kLanes; ++lane)
      if ((access.lanes >> lane & 1) != 0) ++reads_of[access.address(lane)];
  }
};

constexpr const char* kArrays =
    ".file 1 \"kernel.cu\"\n.shared .align 16 .b8 tile[256];\n.shared .align 16 .b8 row[128];\n";

/// 64 threads. %r10 is the address of a thread's own element of tile[64], %r11 that of its lane's element of row[32].
Program program(const std::string& body) {
  Program program;
  program.ptx = test::kernel_with(1,
                                  "mov.u32 %r10, tile;\nshl.b32 %r12, %r0, 2;\nadd.u32 %r10, %r10, %r12;\n"
                                  "mov.u32 %r11, row;\nand.b32 %r12, %r12, 127;\nadd.u32 %r11, %r11, %r12;\n"
                                  "mov.u32 %r20, 1;\nsetp.lt.u32 %p1, %r0, 32;\n" +
                                      body,
                                  kArrays);
  program.shape = {{2, 1, 1}, {64, 1, 1}, 0, false};
  program.options.resident_blocks = 2;
  return program;
}

std::vector<std::string> found(Program program, bool notes_reads) {
  Checkers checkers(notes_reads);
  program.options.observer = &checkers;
  const test::Result result = test::run(program, {Bytes(1024)});
  EXPECT_EQ(result.refusal, "");
  return checkers.found();
}

/// Reads ten times what `read` reads, which a loop does between two barriers.
std::string ten_times(const std::string& read, const std::string& label = "again") {
  return "mov.u32 %r30, 10;\n" + label + ":\n" + read + "sub.u32 %r30, %r30, 1;\nsetp.ne.u32 %p2, %r30, 0;\n@%p2 bra " +
         label + ";\n";
}

constexpr const char* kFill = "st.shared.u32 [%r10], %r20;\n@%p1 st.shared.u32 [%r11], %r20;\nbar.sync 0;\n";

/// %r13: of each lane, two elements of tile[64].
constexpr const char* kOwnPair = "and.b32 %r12, %r0, 31;\nmov.u32 %r13, tile;\nmad.lo.u32 %r13, %r12, 8, %r13;\n";

TEST(NotedReads, MistakesAmongThemAreFoundAsIfAllWereShown) {
  const struct {
    const char *what, *tool_says;
    std::string body;
  } rows[] = {
      {"nothing is wrong", "", kFill + ten_times("ld.shared.u32 %r21, [%r10];\nld.shared.u32 %r22, [%r11];\n")},
      {"the second warp reads beyond its array", "out-of-bounds shared read",
       kFill + ten_times("ld.shared.u32 %r21, [%r10];\n.loc 1 50 0\nld.shared.u32 %r22, [%r10+128];\n.loc 1 51 0\n")},
      {"half of an array is not written", "uninitialised read",
       "@%p1 st.shared.u32 [%r10], %r20;\nbar.sync 0;\n" +
           ten_times(".loc 1 50 0\nld.shared.u32 %r21, [%r10];\n.loc 1 51 0\n") + "st.global.u32 [%rd0], %r21;\n"},
      {"a write after reads, without a barrier", "write after read",
       kFill + ten_times(".loc 1 50 0\nld.shared.u32 %r21, [%r11];\n") +
           ".loc 1 51 0\n@%p1 st.shared.u32 [%r11], %r20;\n"},
      {"a write among reads, without a barrier", "read after write",
       kFill + ten_times(".loc 1 50 0\nld.shared.u32 %r21, [%r11];\n.loc 1 51 0\n@!%p1 st.shared.u32 [%r11], %r20;\n")},
      {"an atomic operation after reads", "atomic access after read",
       kFill + ten_times(".loc 1 50 0\nld.shared.u32 %r21, [%r11];\n") +
           ".loc 1 51 0\n@%p1 atom.shared.add.u32 %r22, [%r11], 1;\n"},
      {"a barrier for one warp orders nothing for the other, which has ended", "write after read",
       kFill + ten_times(".loc 1 50 0\nld.shared.u32 %r21, [%r11];\n.loc 1 51 0\n") +
           "@!%p1 bra second;\nbar.sync 1, 32;\nst.shared.u32 [%r11], %r20;\nsecond:\n"},
      {"vectors of an array of which half is not written", "uninitialised read",
       "@%p1 st.shared.u32 [%r10], %r20;\nbar.sync 0;\n" + std::string(kOwnPair) +
           ten_times(".loc 1 50 0\nld.shared.v2.u32 {%r21, %r22}, [%r13];\n.loc 1 51 0\n") +
           "add.u32 %r21, %r21, %r22;\nst.global.u32 [%rd0], %r21;\n"},
      {"a write after reads of vectors, without a barrier", "write after read",
       kFill + std::string(kOwnPair) + ten_times(".loc 1 50 0\nld.shared.v2.u32 {%r21, %r22}, [%r13];\n") +
           ".loc 1 51 0\n@%p1 st.shared.u32 [%r10], %r20;\n"},
      {"unwritten values are copied to where reads were noted", "uninitialised read",
       "st.shared.u32 [%r10], %r20;\nbar.sync 0;\n" + ten_times("ld.shared.u32 %r21, [%r10];\n") +
           "bar.sync 0;\nld.shared.u32 %r40, [%r11];\nst.shared.u32 [%r10], %r40;\nbar.sync 0;\n" +
           ten_times(".loc 1 50 0\nld.shared.u32 %r21, [%r10];\n.loc 1 51 0\n", "and_again") +
           "st.global.u32 [%rd0], %r21;\n"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const std::vector<std::string> later = found(program(row.body), true);
    EXPECT_EQ(later, found(program(row.body), false));
    if (*row.tool_says == '\0') {
      EXPECT_TRUE(later.empty()) << later[0];
    } else {
      ASSERT_FALSE(later.empty());
      EXPECT_NE(later[0].find(row.tool_says), std::string::npos) << later[0];
    }
  }
}

TEST(NotedReads, EveryReadIsShownOnce) {
  Counter counter;
  Program reading = program(kFill + ten_times("ld.shared.u32 %r21, [%r10];\nld.shared.u32 %r22, [%r11];\n"
                                              "@%p1 ld.shared.u32 %r22, [%r11];\n"));
  reading.options.observer = &counter;
  test::run_cleanly(reading, {Bytes(1024)});
  std::map<std::uint64_t, std::uint64_t> expected;
  for (std::uint64_t block = 0; block < 2; ++block) {
    for (std::uint64_t n = 0; n < 64; ++n) expected[Kernel::kSharedBase + 4 * n] += 10;
    for (std::uint64_t n = 0; n < 32;
         ++n) {  // behind the first array's red zone, by both warps; half a block once more
      expected[Kernel::kSharedBase + 256 + Kernel::kSharedRedZone + 4 * n] += 30;
    }
  }
  EXPECT_EQ(counter.reads_of, expected);
  EXPECT_GT(counter.noted, 2U * 2 * 10) << "reads by whole warps, but for the first of each kind, need not be shown";
}

TEST(NotedReads, VectorsAreAmongThem) {
  Counter counter;
  Program reading = program(std::string(kFill) + kOwnPair + ten_times("ld.shared.v2.u32 {%r21, %r22}, [%r13];\n"));
  reading.options.observer = &counter;
  test::run_cleanly(reading, {Bytes(1024)});
  EXPECT_EQ(counter.reads_of[Kernel::kSharedBase + 8], 2U * 2 * 10) << "by both warps of both blocks";
  EXPECT_GE(counter.noted, 2U * 2 * 10 - 2 * 2);
}

TEST(NotedReads, AreInsideSharedMemoryWhateverObserversAllow) {
  class AllowsAll : public Counter {
   public:
    QuietRange quiet_range(const MemoryAccess&) override { return {0, ~std::uint32_t{0}}; }
  };
  for (const char* const load : {"ld.shared.u32 %r21, [%r11", "ld.shared.v2.u32 {%r21, %r22}, [%r13"}) {
    AllowsAll observer;
    Program reading = program(std::string(kFill) + kOwnPair + load + "];\n" + load + "+1073741824];\n");
    reading.options.observer = &observer;
    EXPECT_NE(test::run(reading, {Bytes(1024)}).outcome.fault.kind, FaultKind::kNone) << load;
  }
}

TEST(NotedReads, MoreThanThereIsRoomForAreShownInBetween) {
  Counter counter;
  Program reading = program(kFill + std::string("mov.u32 %r30, 5000;\nagain:\nld.shared.u32 %r21, [%r10];\n") +
                            "sub.u32 %r30, %r30, 1;\nsetp.ne.u32 %p2, %r30, 0;\n@%p2 bra again;\n");
  reading.options.observer = &counter;
  test::run_cleanly(reading, {Bytes(1024)});
  for (std::uint64_t n = 0; n < 64; ++n) EXPECT_EQ(counter.reads_of[Kernel::kSharedBase + 4 * n], 2U * 5000);
}

TEST(NotedReads, ReadsThatMayWaitForAnotherThreadAreShownAtOnce) {
  Counter counter;
  Program reading = program(kFill + ten_times("ld.volatile.shared.u32 %r21, [%r10];\n"));
  reading.options.observer = &counter;
  test::run_cleanly(reading, {Bytes(1024)});
  EXPECT_EQ(counter.noted, 0U);
  EXPECT_EQ(counter.reads_of[Kernel::kSharedBase], 2U * 10);
}

}  // namespace
}  // namespace vgpu
