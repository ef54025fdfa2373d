// Asynchronous copies into and out of shared memory, and the memory barriers that tell when they are done.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U8 = std::uint8_t;
using U32 = std::uint32_t;

constexpr Watch kBoth[] = {Watch::kNobody, Watch::kEverything};

/// No byte like its neighbour or like the same one of the next thread.
std::vector<U8> numbered_bytes(std::size_t count) {
  std::vector<U8> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<U8>(i * 7 + i / 256 + 1);
  return bytes;
}

// --- cp.async ---

struct Copy {
  std::string instruction;  ///< %r9: the thread's 16 bytes in shared memory, %rd8: in global; %r8: thread % 17
  U32 bytes;                ///< of one thread
  U32 (*wanted)(U32 thread);
  U32 shift = 0;                                       ///< of both ends
  bool (*takes_part)(U32) = [](U32) { return true; };  ///< by a guard
};

constexpr U32 kUntouched = 0xAA;
constexpr U32 kThreads = 70;  // two whole warps and a part of one

/// Copies into shared memory that held 0xAA, and reads back 16 bytes a thread.
void check_copy(const Copy& copy) {
  Program program;
  program.ptx =
      kernel_with(2,
                  "mov.u32 %r9, tile;\nmad.lo.u32 %r9, %r0, 16, %r9;\nmul.wide.u32 %rd8, %r0, 16;\nadd.u64 "
                  "%rd7, %rd8, %rd0;\nadd.u64 %rd8, %rd8, %rd1;\nrem.u32 %r8, %r0, 17;\nsetp.lt.u32 %p1, %r8, "
                  "9;\nmov.u32 %r5, 0xAAAAAAAA;\nst.shared.v4.u32 [%r9], {%r5, %r5, %r5, %r5};\n" +
                      copy.instruction +
                      "\ncp.async.commit_group;\ncp.async.wait_group 0;\ncp.async.wait_all;\nld.shared.v4.u32 "
                      "{%r5, %r6, %r7, %r8}, [%r9];\nst.global.v4.u32 [%rd7], {%r5, %r6, %r7, %r8};\n",
                  ".shared .align 16 .b8 tile[1120];");
  program.shape.block.x = kThreads;
  const std::vector<U8> source = numbered_bytes(16 * kThreads);
  for (const Watch watch : kBoth) {
    program.watch = watch;
    const std::vector<U8> got = results_of<U8>(program, 16 * kThreads, {bytes_of(source)});
    for (U32 t = 0; t < kThreads; ++t)
      for (U32 n = 0; n < 16; ++n) {
        U32 expected = kUntouched;
        if (copy.takes_part(t) && n >= copy.shift && n - copy.shift < copy.bytes)
          expected = n - copy.shift < copy.wanted(t) ? source[16 * t + n] : 0;
        ASSERT_EQ(got[16 * t + n], expected) << copy.instruction << " thread " << t << " byte " << n;
      }
  }
}

TEST(CopyAsync, MovesFourEightOrSixteenBytesOfEveryThread) {
  const auto all = [](U32) { return 16u; };
  check_copy({"cp.async.ca.shared.global [%r9], [%rd8], 4;", 4, all});
  check_copy({"cp.async.ca.shared.global [%r9], [%rd8], 8;", 8, all});
  check_copy({"cp.async.ca.shared.global [%r9], [%rd8], 16;", 16, all});
  check_copy({"cp.async.cg.shared.global [%r9], [%rd8], 16;", 16, all});
  check_copy({"cp.async.cg.shared::cta.global.L2::128B [%r9], [%rd8], 16;", 16, all});
  check_copy({"cp.async.ca.shared.global.L2::64B [%r9+8], [%rd8+8], 8;", 8, all, 8});
  check_copy({"cp.async.ca.shared.global [%r9+12], [%rd8+12], 4;", 4, all, 12});
  check_copy({"cp.async.ca.shared.global.L2::cache_hint [%r9], [%rd8], 16, %rd7;", 16, all});
  check_copy({"cvt.u64.u32 %rd9, %r9;\ncp.async.ca.shared.global [%rd9], [%rd8], 16;", 16, all});
  check_copy({"cvt.u64.u32 %rd9, %r9;\ncp.async.ca.shared.global [%rd9+4], [%rd8+4], 4;", 4, all, 4});
  check_copy({"@%p1 cp.async.ca.shared.global [%r9], [%rd8], 16;", 16, all, 0, [](U32 t) { return t % 17 < 9; }});
  check_copy({"@!%p1 cp.async.ca.shared.global [%r9], [%rd8], 8;", 8, all, 0, [](U32 t) { return t % 17 >= 9; }});
}

TEST(CopyAsync, FillsUpWithZerosWhatIsNotWanted) {
  check_copy({"cp.async.ca.shared.global [%r9], [%rd8], 16, 0;", 16, [](U32) { return 0u; }});
  check_copy({"cp.async.ca.shared.global [%r9], [%rd8], 8, 3;", 8, [](U32) { return 3u; }});
  // Every thread another number, 0 to 16.
  check_copy({"cp.async.cg.shared.global [%r9], [%rd8], 16, %r8;", 16, [](U32 t) { return t % 17; }});
  check_copy(
      {"cp.async.cg.shared.global.L2::cache_hint [%r9], [%rd8], 16, %r8, %rd7;", 16, [](U32 t) { return t % 17; }});
}

TEST(CopyAsync, ReadsNothingThatIsNotWanted) {
  // The addresses of threads that want nothing are null, and 5 of 16 bytes are the last ones there are.
  struct ReadWidths : Observer {
    Mask access(const MemoryAccess& access) override {
      if (access.space == ptx::Space::kGlobal && access.kind == AccessKind::kLoad)
        for (Mask rest = access.lanes; rest != 0; rest &= rest - 1)
          end = std::max(end, access.address(__builtin_ctz(rest)) + access.bytes);
      return access.lanes;
    }
    std::uint64_t end = 0;
  } observer;
  Program program;
  program.ptx = kernel_with(2,
                            "setp.eq.u32 %p1, %r0, 7;\nselp.b64 %rd1, %rd1, 0, %p1;\nselp.u32 %r8, 5, 0, %p1;\nmov.u32 "
                            "%r9, tile;\nmad.lo.u32 %r9, %r0, 16, %r9;\ncp.async.ca.shared.global [%r9], [%rd1], 16, "
                            "%r8;\ncp.async.wait_all;\nbar.sync 0;\nld.shared.u32 %r5, [tile+112];\nld.shared.u32 %r6, "
                            "[tile+116];\nst.global.v2.u32 [%rd0], {%r5, %r6};\n",
                            ".shared .align 16 .b8 tile[512];");
  const std::vector<U32> source{0x04030201, 0x08070605};
  EXPECT_EQ(results_of<U32>(program, 2, {bytes_of(source)}), (std::vector<U32>{0x04030201, 0x05}));
  program.options.observer = &observer;
  EXPECT_EQ(results_of<U32>(program, 2, {bytes_of(source)}), (std::vector<U32>{0x04030201, 0x05}));
  EXPECT_EQ(observer.end % 16, 5u);  // allocations are aligned
}

// --- when the copies arrive ---

/// The threads copy words of their own, of which they have four. They are zeros before, and are looked at after `body`.
struct Arrival {
  const char* what;
  std::string body;  ///< %p1: the thread's number is odd
  U32 even, odd;     ///< bit n: word n of threads with such a number has arrived
};

std::string copy_word(int n) {
  const std::string at = std::to_string(4 * n);
  return "cp.async.ca.shared.global [%r9+" + at + "], [%rd8+" + at + "], 4;\n";
}

TEST(CopyAsync, ArrivesWhenItIsWaitedFor) {
  const std::string close = "cp.async.commit_group;\n";
  const auto wait = [](int groups) { return "cp.async.wait_group " + std::to_string(groups) + ";\n"; };
  const std::string groups = copy_word(0) + close + copy_word(1) + close + copy_word(2) + close + copy_word(3) + close;
  const std::string init = "mbarrier.init.shared.b64 [bar], 1000;\n";
  const Arrival rows[] = {
      {"nobody waits", copy_word(0) + copy_word(1) + close, 0, 0},
      {"all closed groups", groups + wait(0), 15, 15},
      {"all but one", groups + wait(1), 7, 7},
      {"all but two", groups + wait(2), 3, 3},
      {"all but four", groups + wait(4), 0, 0},
      {"all but more than there are", groups + wait(100), 0, 0},
      {"one after the other", groups + wait(3) + wait(2), 3, 3},
      {"a group of several copies", copy_word(0) + copy_word(2) + close + copy_word(1) + close + wait(1), 5, 5},
      {"what is in no closed group", copy_word(0) + close + copy_word(1) + wait(0), 1, 1},
      {"everything, closed or not", copy_word(0) + close + copy_word(1) + "cp.async.wait_all;\n", 3, 3},
      {"empty groups count", copy_word(0) + close + close + close + wait(2), 1, 1},
      {"groups closed before there was a copy", close + close + copy_word(0) + close + wait(1), 0, 0},
      {"some lanes close", copy_word(0) + "@%p1 " + close + wait(0), 0, 1},
      {"some lanes wait", copy_word(0) + close + "@!%p1 " + wait(0), 1, 0},
      {"some lanes wait for everything", copy_word(0) + "@%p1 cp.async.wait_all;\n", 0, 1},
      {"lanes have different groups", copy_word(0) + "@%p1 " + close + copy_word(1) + close + wait(1), 0, 1},
      {"some lanes copy", "@%p1 " + copy_word(0) + close + copy_word(1) + close + wait(1), 0, 1},
      {"lanes have parted",
       copy_word(0) + close + "@%p1 bra ODD;\n" + copy_word(1) + wait(0) + "bra BOTH;\nODD:\n" + copy_word(2) + close +
           copy_word(3) + close + wait(1) + "BOTH:\n",
       1, 5},
      {"a barrier is told", init + copy_word(0) + "cp.async.mbarrier.arrive.noinc.shared.b64 [bar];\n", 1, 1},
      {"a barrier is told by some",
       init + copy_word(0) + copy_word(1) + close + "@%p1 cp.async.mbarrier.arrive.shared.b64 [bar];\n", 0, 3},
      {"bulk groups are others", copy_word(0) + close + "cp.async.bulk.wait_group 0;\n", 0, 0},
  };
  std::vector<U32> source(4 * kThreads);
  for (U32 i = 0; i < source.size(); ++i) source[i] = i + 1;
  for (const Arrival& row : rows) {
    Program program;
    program.ptx =
        kernel_with(2,
                    "mov.u32 %r9, tile;\nmad.lo.u32 %r9, %r0, 16, %r9;\nmul.wide.u32 %rd8, %r0, 16;\nadd.u64 "
                    "%rd7, %rd8, %rd0;\nadd.u64 %rd8, %rd8, %rd1;\nand.b32 %r8, %r0, 1;\nsetp.ne.u32 %p1, %r8, "
                    "0;\nmov.u32 %r5, 0;\nst.shared.v4.u32 [%r9], {%r5, %r5, %r5, %r5};\n" +
                        row.body + "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r9];\nst.global.v4.u32 [%rd7], {%r5, " +
                        "%r6, %r7, %r8};\n",
                    ".shared .align 8 .b64 bar;\n.shared .align 16 .b8 tile[1120];");
    program.shape.block.x = kThreads;
    for (const Watch watch : kBoth) {
      program.watch = watch;
      const std::vector<U32> got = results_of<U32>(program, source.size(), {bytes_of(source)});
      for (U32 t = 0; t < kThreads; ++t)
        for (U32 n = 0; n < 4; ++n) {
          const bool has_arrived = ((t % 2 == 0 ? row.even : row.odd) >> n & 1) != 0;
          ASSERT_EQ(got[4 * t + n], has_arrived ? source[4 * t + n] : 0u)
              << row.what << ": thread " << t << " word " << n;
        }
    }
  }
}

TEST(CopyAsync, ArrivesInTurn) {
  // Two copies to one word.
  Program program;
  program.ptx = kernel_with(2,
                            "mov.u32 %r9, tile;\ncp.async.ca.shared.global [%r9], [%rd1], 4;\ncp.async.ca.shared."
                            "global [%r9], [%rd1+4], 4;\ncp.async.wait_all;\nld.shared.u32 %r5, [%r9];\nst.global.u32 "
                            "[%rd0], %r5;\n",
                            ".shared .align 16 .b8 tile[16];");
  program.shape.block.x = 1;
  EXPECT_EQ(results_of<U32>(program, 1, {bytes_of<U32>({7, 8})}), (std::vector<U32>{8}));
}

TEST(CopyAsync, ArrivesWhenItsWarpEnds) {
  Program program;
  program.ptx = kernel_with(2,
                            "mov.u32 %r9, tile;\nand.b32 %r8, %r0, 31;\nmad.lo.u32 %r9, %r8, 4, %r9;\nmul.wide.u32 "
                            "%rd8, %r8, 4;\nadd.u64 %rd7, %rd8, %rd0;\nadd.u64 %rd8, %rd8, %rd1;\nsetp.lt.u32 %p1, "
                            "%r0, 32;\n@%p1 cp.async.ca.shared.global [%r9], [%rd8], 4;\n@%p1 ret;\nbar.sync "
                            "0;\nld.shared.u32 %r5, [%r9];\nst.global.u32 [%rd7], %r5;\n",
                            ".shared .align 16 .b8 tile[128];");
  program.shape.block.x = 64;
  std::vector<U32> source(32);
  for (U32 i = 0; i < source.size(); ++i) source[i] = i + 1;
  EXPECT_EQ(results_of<U32>(program, 32, {bytes_of(source)}), source);
}

TEST(CopyAsync, IsNotLateForEver) {
  // 600 copies that nobody waits for, in each of several blocks: the first one has arrived, the last one has not.
  Program program;
  program.ptx = kernel_with(2,
                            "mov.u32 %r9, tile;\nmov.u32 %r5, 0;\nst.shared.u32 [%r9], 0;\nst.shared.u32 [%r9+2396], "
                            "0;\nmov.u32 %r8, %r9;\nNEXT:\ncp.async.ca.shared.global [%r8], [%rd1], 4;\nadd.u32 %r8, "
                            "%r8, 4;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 600;\n@%p1 bra NEXT;\nld.shared.u32 "
                            "%r5, [%r9];\nld.shared.u32 %r6, [%r9+2396];\nmul.wide.u32 %rd8, %r1, 8;\nadd.u64 %rd8, "
                            "%rd8, %rd0;\nst.global.v2.u32 [%rd8], {%r5, %r6};\n",
                            ".shared .align 16 .b8 tile[2400];");
  program.shape = {{3, 1, 1}, {1, 1, 1}, 0, false};
  EXPECT_EQ(results_of<U32>(program, 6, {bytes_of<U32>({7})}), (std::vector<U32>{7, 0, 7, 0, 7, 0}));
}

TEST(CopyAsync, IsShownWhenItBeginsAndWhenItArrives) {
  struct Events : Observer {
    Mask access(const MemoryAccess& access) override {
      if (access.space == ptx::Space::kShared && access.kind == AccessKind::kStore) note("begins", access);
      return access.lanes;
    }
    void copy_arrives(const MemoryAccess& store, const Code& code, const Insn*) override {
      EXPECT_EQ(instruction_of(code, *store.insn).opcode, "cp");
      note("arrives", store);
    }
    void note(const char* what, const MemoryAccess& store) {
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool is_in = (store.lanes >> lane & 1) != 0;
        const auto first = static_cast<U32>(__builtin_ctz(store.lanes));
        if (is_in)
          EXPECT_EQ(store.address(lane) - store.address(static_cast<int>(first)), (static_cast<U32>(lane) - first) * 8);
        else
          EXPECT_EQ(store.address(lane), store.address(static_cast<int>(first)));
      }
      log += std::string(what) + " " + std::to_string(store.copy) + " " + std::to_string(store.bytes) + " " +
             std::to_string(store.lanes) + "\n";
    }
    std::string log;
  } events;
  Program program;
  program.ptx = kernel_with(1,
                            "mov.u32 %r9, tile;\nmad.lo.u32 %r9, %r0, 8, %r9;\nsetp.lt.u32 %p1, %r0, "
                            "4;\ncp.async.ca.shared.global [%r9], [%rd0], 8;\ncp.async.commit_group;\n@%p1 "
                            "cp.async.ca.shared.global [%r9], [%rd0], 8;\ncp.async.wait_group 0;\n@%p1 "
                            "cp.async.ca.shared.global [%r9], [%rd0], 8;\n@%p1 cp.async.wait_all;\n",
                            ".shared .align 16 .b8 tile[64];");
  program.shape.block.x = 8;
  program.options.observer = &events;
  run_cleanly(program, {Bytes(64)});
  EXPECT_EQ(events.log,
            "begins 1 8 255\nbegins 2 8 15\narrives 1 8 255\nbegins 3 8 15\narrives 2 8 15\narrives 3 8 15\n");
}

// --- mbarrier ---

/// One thread runs `body` on the memory barrier [bar] and leaves answers in %r5 to %r8.
std::vector<U32> on_barrier(const std::string& body, Watch watch = Watch::kNobody) {
  Program program;
  program.ptx = kernel_with(1,
                            "mov.u32 %r9, bar;\nmov.u32 %r5, 0;\nmov.u32 %r6, 0;\nmov.u32 %r7, 0;\nmov.u32 %r8, 0;\n" +
                                body + "\nst.global.v4.u32 [%rd0], {%r5, %r6, %r7, %r8};\n",
                            ".shared .align 8 .b64 pad;\n.shared .align 8 .b64 bar;");
  program.shape.block.x = 1;
  program.watch = watch;
  return results_of<U32>(program, 4);
}

/// `%rN = is the phase of %rd5 over?` with N = 5 + `n`.
std::string ask(int n, const std::string& question = "mbarrier.test_wait.shared.b64 %p1, [bar], %rd5;") {
  return question + "\nselp.u32 %r" + std::to_string(5 + n) + ", 1, 0, %p1;\n";
}

struct Steps {
  const char* what;
  std::string body;
  std::vector<U32> expected;
};

TEST(MemoryBarrier, APhaseEndsWithTheLastArrival) {
  const std::string init = "mbarrier.init.shared.b64 [bar], 3;\n";
  const std::string arrive = "mbarrier.arrive.shared.b64 %rd6, [bar];\n";
  const std::string first = "mbarrier.arrive.shared.b64 %rd5, [bar];\n";
  const Steps sequences[] = {
      {"three arrivals", init + first + ask(0) + arrive + ask(1) + arrive + ask(2), {0, 0, 1, 0}},
      {"counts of arrivals",
       init + "mbarrier.arrive.shared.b64 %rd5, [%r9], 2;\n" + ask(0) + arrive + ask(1),
       {0, 1, 0, 0}},
      {"the next phase has to be waited for anew",
       init + first + arrive + arrive + "mbarrier.arrive.shared.b64 %rd5, [bar];\n" + ask(0) + arrive + arrive + ask(1),
       {0, 1, 0, 0}},
      {"results that nobody wants",
       init + first +
           "mbarrier.arrive.shared.b64 _, [bar];\nmbarrier.arrive.release.cta.shared::cta.b64 _, [bar], 1;\n" + ask(0),
       {1, 0, 0, 0}},
      {"who drops out is not waited for again",
       init + "mbarrier.arrive_drop.shared.b64 %rd5, [bar];\n" + arrive + arrive + ask(0) + first + ask(1) + arrive +
           ask(2),
       {1, 0, 1, 0}},
      {"parity: the phase before counts as over, the present one not",
       init + ask(0, "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 1;") +
           ask(1, "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;") + first + arrive + arrive +
           ask(2, "mbarrier.test_wait.parity.shared.b64 %p1, [bar], 0;") +
           ask(3, "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 %p1, [%r9], 1;"),
       {1, 0, 1, 0}},
      {"try_wait answers alike",
       init + first + ask(0, "mbarrier.try_wait.shared.b64 %p1, [bar], %rd5;") + arrive + arrive +
           ask(1, "mbarrier.try_wait.shared.b64 %p1, [bar], %rd5;") +
           ask(2, "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;") +
           ask(3, "mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0, 1000;"),
       {0, 1, 1, 1}},
      {"expected bytes hold the phase back",
       "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 32;\n" + first + ask(0),
       {0, 0, 0, 0}},
      {"a state tells the arrivals that were missing",
       init + first + arrive + "mbarrier.pending_count.b64 %r5, %rd5;\nmbarrier.pending_count.b64 %r6, %rd6;\n",
       {3, 2, 0, 0}},
      {"a barrier may be made anew",
       init + first + "mbarrier.inval.shared.b64 [bar];\nmbarrier.init.shared.b64 [bar], 1;\n" + first + ask(0),
       {1, 0, 0, 0}},
      {"the largest count",
       "mbarrier.init.shared.b64 [bar], 1048575;\nmbarrier.arrive.shared.b64 %rd5, [bar], 1048574;\n" + ask(0) +
           arrive + ask(1),
       {0, 1, 0, 0}},
      {"arrivals that are not to end the phase",
       init + "mbarrier.arrive.noComplete.shared.b64 %rd5, [bar], 2;\n" + ask(0) + arrive + ask(1),
       {0, 1, 0, 0}},
      {"bytes that are said to have come",
       "mbarrier.init.shared.b64 [bar], 1;\nmbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 32;\n" + first +
           "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 24;\n" + ask(0) +
           "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [bar], 8;\n" + ask(1),
       {0, 1, 0, 0}},
      {"copies that are done arrive, if the barrier expects them",
       "mbarrier.init.shared.b64 [bar], 2;\n" + first + "cp.async.mbarrier.arrive.shared.b64 [bar];\n" + ask(0) +
           "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [bar];\n" + ask(1),
       {0, 1, 0, 0}},
      {"generic addresses, and shared ones in 64 bits",
       init +
           "mov.u64 %rd7, bar;\ncvta.shared.u64 %rd8, %rd7;\nsub.u64 %rd9, %rd8, 16;\nmbarrier.arrive.b64 %rd5, "
           "[%rd8];\nmbarrier.arrive.shared::cta.b64 _, [%rd7];\n" +
           ask(0) + "mbarrier.arrive.release.cta.b64 _, [%rd9+16];\n" + ask(1) +
           ask(2, "mbarrier.test_wait.parity.b64 %p1, [%rd8], 0;"),
       {0, 1, 1, 0}},
      {"an address with an offset",
       "mbarrier.init.shared.b64 [%r9+0], 1;\nsub.u32 %r10, %r9, 8;\nmbarrier.arrive.shared.b64 %rd5, [%r10+8];\n" +
           ask(0),
       {1, 0, 0, 0}},
  };
  for (const Steps& steps : sequences)
    for (const Watch watch : kBoth) EXPECT_EQ(on_barrier(steps.body, watch), steps.expected) << steps.what;
}

TEST(MemoryBarrier, LiesInSharedMemory) {
  Program program;
  program.ptx = kernel_with(1, "mbarrier.init.b64 [%rd0], 1;", ".shared .align 8 .b64 bar;");
  program.shape.block.x = 1;
  EXPECT_EQ(run(program, {Bytes(64)}).outcome.fault.kind, FaultKind::kIllegalAddress);
}

TEST(MemoryBarrier, HoldsWarpsUntilAllThreadsHaveArrived) {
  // Every thread stores its number, arrives, waits, and reads its opposite's.
  Program program;
  program.ptx = kernel_with(
      1,
      "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], %r2;\nREADY:\nbar.sync 0;\nmov.u32 "
      "%r9, tile;\nmad.lo.u32 %r5, %r0, 4, %r9;\nst.shared.u32 [%r5], %r0;\nmbarrier.arrive.shared.b64 %rd5, "
      "[bar];\nWAIT:\nmbarrier.try_wait.shared.b64 %p2, [bar], %rd5;\n@!%p2 bra WAIT;\nsub.u32 %r6, %r2, 1;\nsub.u32 "
      "%r6, %r6, %r0;\nmad.lo.u32 %r6, %r6, 4, %r9;\nld.shared.u32 %r5, [%r6];\nmul.wide.u32 %rd9, %r0, 4;\nadd.u64 "
      "%rd9, %rd9, %rd0;\nst.global.u32 [%rd9], %r5;\n",
      ".shared .align 8 .b64 bar;\n.shared .align 4 .b32 tile[1024];");
  for (const U32 threads : {1u, 32u, 33u, 256u, 1024u}) {
    program.shape.block.x = threads;
    const std::vector<U32> got = results_of<U32>(program, threads);
    for (U32 t = 0; t < threads; ++t) ASSERT_EQ(got[t], threads - 1 - t) << threads;
  }
}

TEST(MemoryBarrier, IsNotPolledWhileOthersWork) {
  // The second warp counts how often it asks, while the first one is busy.
  Program program;
  program.ptx =
      kernel_with(1,
                  "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], 1;\nREADY:\nbar.sync 0;\n"
                  "mov.u32 %r5, 0;\nsetp.ge.u32 %p1, %r0, 32;\n@%p1 bra WAIT;\n"
                  "BUSY:\nadd.u32 %r5, %r5, 1;\nmad.lo.u32 %r6, %r6, %r5, %r5;\n"
                  "setp.lt.u32 %p2, %r5, 20000;\n@%p2 bra BUSY;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra DONE;\n"
                  "mbarrier.arrive.shared.b64 %rd5, [bar];\nbra DONE;\n"
                  "WAIT:\nadd.u32 %r5, %r5, 1;\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\n"
                  "st.global.u32 [%rd0+4], %r5;\nDONE:\n",
                  ".shared .align 8 .b64 bar;");
  program.shape.block.x = 64;
  EXPECT_EQ(results_of<U32>(program, 2).at(1), 1u);
}

// --- cp.async.bulk ---

constexpr U32 kBulkBytes = 4096;

/// Warp 0's first thread starts the copies, everybody waits for the barrier; then the tile goes out again in bulk.
const char* const kBulkBody =
    "mov.u32 %r9, tile;\nsetp.ne.u32 %p1, %r0, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], "
    "1;\nfence.mbarrier_init.release.cluster;\nREADY:\nbar.sync 0;\n@%p1 bra "
    "WAIT;\nmbarrier.arrive.expect_tx.shared.b64 _, [bar], 4096;\ncp.async.bulk.shared::cluster.global.mbarrier::"
    "complete_tx::bytes.L2::cache_hint [tile], [%rd1], 1024, [bar], %rd1;\nmbarrier.test_wait.parity.shared.b64 %p3, "
    "[bar], 0;\nselp.u32 "
    "%r10, 1, 0, %p3;\nst.global.u32 [%rd2], %r10;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r9+1024], [%rd1+1024], 3072, [bar];\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra "
    "WAIT;\nmad.lo.u32 %r5, %r0, 4, %r9;\nld.shared.u32 %r6, [%r5];\nadd.u32 %r6, %r6, 1;\nst.shared.u32 [%r5], "
    "%r6;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n@%p1 bra "
    "DONE;\ncp.async.bulk.global.shared::cta.bulk_group [%rd0], [tile], 2048;\ncp.async.bulk.global.shared::cta."
    "bulk_group [%rd0+2048], [%r9+2048], 2048;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read "
    "0;\ncp.async.bulk.wait_group 0;\ncp.async.bulk.prefetch.L2.global [%rd1], 1024;\nDONE:\n";
const char* const kBulkShared = ".shared .align 8 .b64 bar;\n.shared .align 128 .b8 tile[4096];";

TEST(CopyBulk, GoesInAndOutAndTellsTheBarrier) {
  std::vector<U32> source(kBulkBytes / 4);
  for (U32 i = 0; i < source.size(); ++i) source[i] = i * 2654435761u;
  Program program;
  program.ptx = kernel_with(3, kBulkBody, kBulkShared);
  program.shape.block.x = kBulkBytes / 4;
  for (const Watch watch : kBoth) {
    program.watch = watch;
    const std::vector<Bytes> after = run_cleanly(program, {Bytes(kBulkBytes), bytes_of(source), bytes_of<U32>({7})});
    const std::vector<U32> got = values_of<U32>(after.at(0));
    for (U32 i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], source[i] + 1) << i;
    EXPECT_EQ(values_of<U32>(after.at(2)).at(0), 0u) << "the phase ended when a quarter of the bytes had come";
  }
}

TEST(CopyBulk, AnEndlessWaitForBytesTellsHowManyWereExpectedAndCame) {
  const struct {
    const char* expects;
    const char* copy;
    const char* parity;
    const char* told;
  } rows[] = {
      {"arrive.expect_tx.shared.b64 _, [bar], 512", "1024", "1",
       "expect 512 bytes (line 5 of kernel.cu), while copies have brought it 1,024"},
      {"arrive.expect_tx.shared.b64 _, [bar], 4096", "1024", "1",
       "expect 4,096 bytes (line 5 of kernel.cu), while copies have brought it 1,024"},
      {"arrive.shared.b64 _, [bar]", "16", "0", "was not told to expect any bytes, while copies have brought it 16"},
  };
  for (const auto& row : rows)
    for (const Watch watch : kBoth) {
      Program program;
      program.ptx = kernel_with(
          1,
          std::string("setp.ne.u32 %p1, %r0, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], 2;\nREADY:\n"
                      "bar.sync 0;\n@%p1 bra WAIT;\n") +
              // A phase that ends is forgotten.
              "mbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 32;\nmbarrier.arrive.shared.b64 _, [bar], 2;\n"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd0], 32, [bar];\n"
              "mbarrier.arrive.shared.b64 _, [bar];\n.loc 1 5 0\nmbarrier." +
              row.expects +
              ";\n.loc 1 6 0\n"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd0], " +
              row.copy + ", [bar];\nWAIT:\n.loc 1 7 0\nmbarrier.try_wait.parity.shared.b64 %p2, [bar], " + row.parity +
              ";\n@!%p2 bra WAIT;\n",
          ".file 1 \"kernel.cu\"\n" + std::string(kBulkShared));
      program.shape.block.x = 64;
      program.options.instruction_budget = 1'000'000;
      program.watch = watch;
      const LaunchOutcome outcome = run(program, {Bytes(kBulkBytes)}).outcome;
      const std::string said = outcome.fault.sentence + "; " + outcome.whereabouts;
      EXPECT_NE(said.find(row.told), std::string::npos) << said;
    }
}

/// Two instructions announce 96 bytes, of which 32 come; what follows begins in line 7.
std::string waiting_for_more(int first_line, const std::string& code) {
  return "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra READY;\nmbarrier.init.shared.b64 [bar], 1;\nREADY:\nbar.sync 0;\n"
         "mov.u32 %r9, 1;\nsetp.ge.u32 %p2, %r0, 32;\n@%p2 bra ROUND;\n@%p1 bra WAIT;\n.loc 1 " +
         std::to_string(first_line) +
         " 0\nmbarrier.expect_tx.relaxed.cta.shared.b64 [bar], 32;\n.loc 1 5 0\n"
         "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n.loc 1 6 0\n"
         "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd0], 32, [bar];\nWAIT:\n"
         ".loc 1 7 0\n" +
         code + "ROUND:\n.loc 1 8 0\nadd.u32 %r9, %r9, 1;\nsetp.ne.u32 %p3, %r9, 0;\n@%p3 bra ROUND;\n";
}

std::string what_never_ends(const std::string& body, Watch watch) {
  Program program;
  program.ptx = kernel_with(1, body, ".file 1 \"kernel.cu\"\n" + std::string(kBulkShared));
  program.shape.block.x = 64;
  program.options.instruction_budget = 1'000'000;
  program.watch = watch;
  const LaunchOutcome outcome = run(program, {Bytes(kBulkBytes)}).outcome;
  return outcome.fault.sentence + "; " + outcome.whereabouts;
}

// One warp waits while the other goes round for ever.
TEST(CopyBulk, AWaitBesideABusyLoopTellsOfBytesToo) {
  for (const int first_line : {4, 5})
    for (const Watch watch : kBoth) {
      const std::string said = what_never_ends(
          waiting_for_more(first_line, "mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra WAIT;\nret;\n"),
          watch);
      EXPECT_NE(said.find("32 threads of block (0,0,0) are waiting in line 7 of kernel.cu at an mbarrier that was told "
                          "to expect 96 bytes (line 5 of kernel.cu" +
                          std::string(first_line == 4 ? " and others" : "") + "), while copies have brought it 32"),
                std::string::npos)
          << said;
    }
}

TEST(CopyBulk, ATestThatFailedOnceIsNotWhatALaterLoopWaitsFor) {
  for (const Watch watch : kBoth) {
    const std::string said = what_never_ends(
        waiting_for_more(5, "mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n@%p2 bra DONE;\n") + "DONE:\n",
        watch);
    EXPECT_NE(said.find("64 threads of block (0,0,0) are "), std::string::npos) << said;
    EXPECT_EQ(said.find("mbarrier"), std::string::npos) << said;
  }
}

TEST(CopyBulk, SizesAndAddressesAreMultiplesOfSixteen) {
  const struct {
    const char* copy;
    FaultKind kind;
  } copies[] = {
      {"[tile], [%rd1], 24, [bar];", FaultKind::kTrap},
      {"[tile+8], [%rd1], 32, [bar];", FaultKind::kMisalignedAddress},
      {"[tile], [%rd1+8], 32, [bar];", FaultKind::kMisalignedAddress},
  };
  for (const auto& row : copies) {
    Program program;
    program.ptx = kernel_with(
        2,
        std::string(
            "mbarrier.init.shared.b64 [bar], 1;\ncp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes ") +
            row.copy,
        kBulkShared);
    program.shape.block.x = 1;
    EXPECT_EQ(run(program, {Bytes(64), Bytes(64)}).outcome.fault.kind, row.kind) << row.copy;
  }
}

TEST(AsyncCopy, WhatIsNotThereIsRefused) {
  for (const char* instruction : {"cp.async.ca.shared.global [%r5], [%rd0], 12;",

                                  "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r5], 16;"}) {
    Program program;
    program.ptx = kernel_with(1, instruction);
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
