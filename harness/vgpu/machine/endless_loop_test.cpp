// Loops that never end are told at once from loops that only take long, and no loop that ends is taken for one of them.
#include "harness/vgpu/machine/endless_loop.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

LaunchOutcome outcome_of_loop(const std::string& body, const std::string& outside = {}) {
  Program program;
  program.ptx = kernel_with(1, "mov.u32 %r5, 0;\nmov.u32 %r6, 1;\n" + body,
                            ".shared .align 4 .u32 flag;\n.global .align 4 .u32 here;\n" + outside);
  program.shape = {{3, 1, 1}, {64, 1, 1}, 0, false};
  program.watch = Watch::kEverything;
  program.options.instruction_budget = 2'000'000;
  return run(program, {Bytes(4096)}).outcome;
}

struct Loop {
  const char* what;
  std::string body;
  std::string outside = {};
};

TEST(EndlessLoop, IsStoppedAtOnceWhereWhatDecidesChangesNoMore) {
  const std::string again = "@%p1 bra LOOP;\n";
  const Loop kLoops[] = {
      {"no condition", "LOOP:\nadd.u32 %r5, %r5, 1;\nbra LOOP;\n"},
      {"a counter that does not count", "LOOP:\nadd.u32 %r7, %r7, %r0;\nsetp.lt.u32 %p1, %r5, 10;\n" + again},
      {"a sum over memory, at an index that does not move",
       "LOOP:\nmul.wide.u32 %rd5, %r5, 4;\nadd.u64 %rd5, %rd5, %rd0;\nld.global.u32 %r8, [%rd5];\nadd.u32 %r7, %r7, "
       "%r8;\nst.global.u32 [%rd0], %r7;\nsetp.lt.u32 %p1, %r5, 64;\n" +
           again},
      {"a stride that was doubled until nothing was left",
       "LOOP:\nshl.b32 %r6, %r6, 1;\nsetp.le.s32 %p1, %r6, 100;\nsetp.eq.u32 %p2, %r6, 0;\n@%p2 bra LOOP;\nbra "
       "LOOP;\n"},
      {"two values in turn", "LOOP:\nxor.b32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 2;\n" + again},
      {"the outer one of two",
       "LOOP:\nmov.u32 %r7, 0;\nINNER:\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 50;\n@%p2 bra INNER;\nsetp.lt.u32 "
       "%p1, %r5, 10;\n" +
           again},
      {"one that waits for the block each time",
       "LOOP:\nbar.sync 0;\nst.shared.u32 [flag], %r7;\nbar.sync 0;\nadd.u32 %r7, %r7, 1;\nsetp.ne.u32 %p1, %r6, 0;\n" +
           again},
      {"one lane's", "setp.ne.u32 %p2, %r0, 3;\n@%p2 bra OUT;\nLOOP:\nadd.u32 %r7, %r7, 1;\nbra LOOP;\nOUT:\n"},
      {"one whose lanes part and meet",
       "and.b32 %r8, %r0, 1;\nLOOP:\nsetp.ne.u32 %p2, %r8, 0;\n@%p2 bra ODD;\nadd.u32 %r7, %r7, 1;\nODD:\nadd.u32 %r7, "
       "%r7, 2;\nsetp.lt.u32 %p1, %r5, 10;\n" +
           again},
      {"by index", "LOOP:\nbrx.idx %r5, WAYS;\nWAYS: .branchtargets NEXT, OUT;\nNEXT:\nbra LOOP;\nOUT:\n"},
      {"after a long one that ends",
       "BEFORE:\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 9000;\n@%p2 bra BEFORE;\nLOOP:\nsetp.lt.u32 %p1, %r5, "
       "10;\n" +
           again},
      {"in a function", "call work;\n",
       ".func work {\n.reg .b32 %a<4>;\nmov.u32 %a1, 0;\nLOOP:\nadd.u32 %a1, %a1, 1;\nbra LOOP;\n}\n"},
  };
  for (const Loop& loop : kLoops) {
    const LaunchOutcome outcome = outcome_of_loop(loop.body, loop.outside);
    EXPECT_EQ(outcome.fault.kind, FaultKind::kEndlessLoop) << loop.what << ": " << outcome.fault.sentence;
    EXPECT_LT(outcome.warp_instructions, 100'000u) << loop.what;
  }
}

// Each takes tens of thousands of instructions until it ends, and what an earlier look would compare has come back by
// then.
TEST(EndlessLoop, IsNoneThatEndsAfterAll) {
  const Loop kLoops[] = {
      {"many rounds", "LOOP:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 20000;\n@%p1 bra LOOP;\n"},
      {"as many in each block, one after the other",
       "LOOP:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 2500;\n@%p1 bra LOOP;\n"},
      {"a counter that could be set back",
       "setp.gt.u32 %p2, %r0, 64;\nLOOP:\nadd.u32 %r5, %r5, 1;\n@%p2 mov.u32 %r5, 0;\nsetp.lt.u32 %p1, %r5, "
       "20000;\n@%p1 bra LOOP;\n"},
      {"rounds of which few are counted",
       "LOOP:\nadd.u32 %r7, %r7, 1;\nand.b32 %r8, %r7, 4095;\nsetp.eq.u32 %p2, %r8, 0;\n@%p2 add.u32 %r5, %r5, "
       "1;\nsetp.lt.u32 %p1, %r5, 4;\n@%p1 bra LOOP;\n"},
      {"rounds counted in a branch",
       "LOOP:\nadd.u32 %r7, %r7, 1;\nand.b32 %r8, %r7, 4095;\nsetp.ne.u32 %p2, %r8, 0;\n@%p2 bra NOT;\nadd.u32 %r5, "
       "%r5, 1;\nNOT:\nsetp.lt.u32 %p1, %r5, 4;\n@%p1 bra LOOP;\n"},
      {"rounds counted in memory",
       "LOOP:\nld.shared.u32 %r5, [flag];\nadd.u32 %r5, %r5, 1;\nst.shared.u32 [flag], %r5;\nsetp.lt.u32 %p1, %r5, "
       "10000;\n@%p1 bra LOOP;\n"},
      {"rounds counted by an atomic",
       "LOOP:\natom.global.add.u32 %r5, [here], 1;\nsetp.lt.u32 %p1, %r5, 400000;\n@%p1 bra LOOP;\n"},
      {"a carry that comes late",
       "mov.u32 %r7, 0xFFFFC000;\nLOOP:\nadd.cc.u32 %r7, %r7, 1;\naddc.u32 %r5, %r5, 0;\nsetp.eq.u32 %p1, %r5, "
       "0;\n@%p1 "
       "bra LOOP;\n"},
      {"the time",
       "mov.u32 %r7, %clock;\nLOOP:\nmov.u32 %r8, %clock;\nsub.u32 %r8, %r8, %r7;\nsetp.lt.u32 %p1, %r8, "
       "30000;\n@%p1 bra LOOP;\n"},
      {"another lane's value",
       "LOOP:\nadd.u32 %r7, %r7, 1;\nshfl.sync.idx.b32 %r5, %r7, 0, 31, 0xFFFFFFFF;\nsetp.lt.u32 %p1, %r5, "
       "10000;\n@%p1 bra LOOP;\n"},
      {"a leave by exit", "LOOP:\nadd.u32 %r7, %r7, 1;\nsetp.gt.u32 %p1, %r7, 20000;\n@%p1 exit;\nbra LOOP;\n"},
      {"a function called again and again",
       "LOOP:\ncall work;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 40;\n@%p1 bra LOOP;\n",
       ".func work {\n.reg .b32 %a<4>;\n.reg .pred %q<2>;\nmov.u32 %a1, 0;\nROUND:\nadd.u32 %a1, %a1, 1;\nsetp.lt.u32 "
       "%q1, %a1, 200;\n@%q1 bra ROUND;\n}\n"},
  };
  for (const Loop& loop : kLoops)
    EXPECT_EQ(outcome_of_loop(loop.body, loop.outside).fault.kind, FaultKind::kNone)
        << loop.what << ": " << outcome_of_loop(loop.body, loop.outside).fault.sentence;
}

TEST(EndlessWait, IsStoppedSoonWhereNobodyWritesWhatAllWaitFor) {
  const Loop kLoops[] = {
      {"all threads", "LOOP:\nld.volatile.shared.u32 %r7, [flag];\nsetp.ne.u32 %p1, %r7, 1;\n@%p1 bra LOOP;\n"},
      {"a number of rounds that nobody looks at",
       "LOOP:\nadd.u32 %r5, %r5, 1;\nld.volatile.shared.u32 %r7, [flag];\nsetp.ne.u32 %p1, %r7, 1;\n@%p1 bra "
       "LOOP;\nst.global.u32 [%rd0], %r5;\n"},
      {"an atomic that changes nothing",
       "LOOP:\natom.global.add.u32 %r7, [here], 0;\nsetp.eq.u32 %p1, %r7, 0;\n@%p1 bra LOOP;\n"},
      {"a thread, and the others at a barrier",
       "setp.ne.u32 %p2, %r0, 40;\n@%p2 bra OUT;\nLOOP:\nld.volatile.shared.u32 %r7, [flag];\nsetp.ne.u32 %p1, %r7, "
       "1;\n@%p1 bra LOOP;\nOUT:\nbar.sync 0;\nst.shared.u32 [flag], 1;\n"},
  };
  for (const Loop& loop : kLoops) {
    const LaunchOutcome outcome = outcome_of_loop(loop.body, loop.outside);
    EXPECT_EQ(outcome.fault.kind, FaultKind::kEndlessWait) << loop.what << ": " << outcome.fault.sentence;
    EXPECT_LT(outcome.warp_instructions, 1'000'000u) << loop.what;
  }
}

TEST(EndlessWait, IsLeftToTheBudgetWhereSomebodyWrites) {
  const LaunchOutcome outcome = outcome_of_loop(
      "LOOP:\nst.volatile.shared.u32 [flag], 0;\nld.volatile.shared.u32 %r7, [flag];\nsetp.eq.u32 %p1, %r7, "
      "0;\n@%p1 bra LOOP;\n");
  EXPECT_EQ(outcome.fault.kind, FaultKind::kBudget) << outcome.fault.sentence;
  EXPECT_NE(outcome.whereabouts.find("64 threads of block (0,0,0) are in a loop that reads memory"), std::string::npos)
      << outcome.whereabouts;
}

}  // namespace
}  // namespace vgpu::test
