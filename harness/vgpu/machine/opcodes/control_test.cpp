// Control flow of one thread among many: branches, branches by index, calls of every kind, returns, exits, traps.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;

/// `body` leaves a result in %r5 that depends on the thread's number in the grid, %r1, alone.
struct Case {
  const char* what;
  const char* body;
  U32 (*expected)(U32 thread);
  const char* outside = "";
};

/// Whole warps, parts of warps and single threads must come to the same results.
void check_cases(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    Program program;
    program.ptx = kernel_with(1, std::string(c.body) + kStoreResult, c.outside);
    for (const U32 threads : {1u, 31u, 32u, 33u, 70u}) {
      program.shape = {{2, 1, 1}, {threads, 1, 1}, 0, false};
      const std::vector<U32> got = results_of<U32>(program, 2 * threads);
      for (U32 t = 0; t < got.size(); ++t)
        EXPECT_EQ(got[t], c.expected(t)) << c.what << ", thread " << t << " of " << threads;
    }
  }
}

TEST(Branch, EveryThreadGoesItsOwnWay) {
  check_cases({
      {"skips forwards", "mov.u32 %r5, 1;\nbra OVER;\nmov.u32 %r5, 2;\nOVER:\n", [](U32) { return 1u; }},
      {"bra.uni", "mov.u32 %r5, 1;\nbra.uni OVER;\nmov.u32 %r5, 2;\nOVER:\n", [](U32) { return 1u; }},
      {"taken where the guard holds",
       "and.b32 %r6, %r1, 5;\nsetp.eq.u32 %p1, %r6, 1;\nmov.u32 %r5, 1;\n@%p1 bra OVER;\nmov.u32 %r5, 2;\nOVER:\n",
       [](U32 t) { return (t & 5) == 1 ? 1u : 2u; }},
      {"taken where the guard does not hold",
       "and.b32 %r6, %r1, 5;\nsetp.eq.u32 %p1, %r6, 1;\nmov.u32 %r5, 1;\n@!%p1 bra OVER;\nmov.u32 %r5, 2;\nOVER:\n",
       [](U32 t) { return (t & 5) == 1 ? 2u : 1u; }},
      {"a loop of one's own length",
       "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nLOOP:\nsetp.gt.u32 %p1, %r6, %r1;\n@%p1 bra DONE;\nadd.u32 %r5, %r5, %r6;\n"
       "add.u32 %r6, %r6, 1;\nbra LOOP;\nDONE:\n",
       [](U32 t) { return t * (t + 1) / 2; }},
      {"breakpoints do nothing", "mov.u32 %r5, 7;\nbrkpt;\n", [](U32) { return 7u; }},
  });
}

/// A switch over %r6; what falls through the branch itself gets 50.
#define SWITCH(branch)                                                                                          \
  "mov.u32 %r5, 0;\n" branch                                                                                    \
  "\nmov.u32 %r5, 50;\nbra JOIN;\nWAYS: .branchtargets A, B, C, A;\nA:\nadd.u32 %r5, %r5, 10;\nbra JOIN;\nB:\n" \
  "add.u32 %r5, %r5, 20;\nC:\nadd.u32 %r5, %r5, 1;\nJOIN:\n"

U32 switched(U32 way) { return way == 1 ? 21 : way == 2 ? 1 : 10; }

TEST(BranchByIndex, EveryThreadTakesTheWayItNames) {
  check_cases({
      {"four ways, two of them one", "and.b32 %r6, %r1, 3;\n" SWITCH("brx.idx %r6, WAYS;"),
       [](U32 t) { return switched(t & 3); }},
      {"all one way", "mov.u32 %r6, 2;\n" SWITCH("brx.idx.uni %r6, WAYS;"), [](U32) { return switched(2); }},
      {"some only",
       "and.b32 %r6, %r1, 3;\nrem.u32 %r7, %r1, 5;\nsetp.eq.u32 %p1, %r7, 0;\n" SWITCH("@%p1 brx.idx %r6, WAYS;"),
       [](U32 t) { return t % 5 == 0 ? switched(t & 3) : 50; }},
      // Backwards as well: halves even numbers, takes one from odd ones, counts the steps.
      {"a machine of states",
       "mov.u32 %r5, 0;\nadd.u32 %r6, %r1, 1;\nSTEP:\nand.b32 %r7, %r6, 1;\nsetp.eq.u32 %p1, %r6, 0;\nselp.u32 %r7, 2, "
       "%r7, %p1;\nbrx.idx %r7, STATES;\nSTATES: .branchtargets EVEN, ODD, END;\nEVEN:\nshr.u32 %r6, %r6, 1;\nadd.u32 "
       "%r5, %r5, 1;\nbra STEP;\nODD:\nsub.u32 %r6, %r6, 1;\nadd.u32 %r5, %r5, 1;\nbra STEP;\nEND:\n",
       [](U32 t) {
         U32 steps = 0;
         for (U32 n = t + 1; n != 0; n = n % 2 == 0 ? n / 2 : n - 1) ++steps;
         return steps;
       }},
  });
}

const char* const kFunctions = R"(
.func (.param .b32 out) twice(.param .b32 in)
{
.reg .b32 %r<4>;
ld.param.b32 %r1, [in];
add.u32 %r2, %r1, %r1;
st.param.b32 [out], %r2;
ret;
}
.func (.param .b32 out) square(.param .b32 in)
{
.reg .b32 %r<4>;
ld.param.b32 %r1, [in];
mul.lo.u32 %r2, %r1, %r1;
st.param.b32 [out], %r2;
ret;
}
.func (.param .b32 out) square_of_twice(.param .b32 in)
{
.reg .b32 %r<4>;
.param .b32 middle;
.param .b32 last;
ld.param.b32 %r1, [in];
st.param.b32 [middle], %r1;
call.uni (last), twice, (middle);
ld.param.b32 %r1, [last];
st.param.b32 [middle], %r1;
call.uni (last), square, (middle);
ld.param.b32 %r1, [last];
st.param.b32 [out], %r1;
ret;
}
.func (.param .b32 out) second_plus_first(.param .align 8 .b8 in[8])
{
.reg .b32 %r<4>;
.reg .b64 %rd<3>;
mov.b64 %rd1, in;
add.u64 %rd2, %rd1, 4;
ld.param.b32 %r1, [%rd2];
ld.param.b32 %r2, [%rd1];
add.u32 %r3, %r1, %r2;
st.param.b32 [out], %r3;
ret;
}
.func (.param .b32 out) steps_by_parity(.param .b32 in)
{
.reg .b32 %r<4>;
.reg .pred %p<2>;
ld.param.b32 %r1, [in];
and.b32 %r2, %r1, 1;
setp.eq.u32 %p1, %r2, 1;
@%p1 bra ODD;
st.param.b32 [out], 1000;
@!%p1 ret;
ODD:
add.u32 %r1, %r1, 1;
st.param.b32 [out], %r1;
}
.func (.param .b32 out) fibonacci(.param .b32 in)
{
.reg .b32 %r<6>;
.reg .pred %p<2>;
.param .b32 a;
.param .b32 b;
ld.param.b32 %r1, [in];
setp.lt.u32 %p1, %r1, 2;
@%p1 bra SMALL;
sub.u32 %r2, %r1, 1;
st.param.b32 [a], %r2;
call (b), fibonacci, (a);
ld.param.b32 %r3, [b];
sub.u32 %r2, %r1, 2;
st.param.b32 [a], %r2;
call (b), fibonacci, (a);
ld.param.b32 %r4, [b];
add.u32 %r3, %r3, %r4;
st.param.b32 [out], %r3;
ret;
SMALL:
st.param.b32 [out], %r1;
ret;
}
.func (.param .align 16 .b8 out[16]) exchanged(.param .align 16 .b8 in[16], .param .b64 plus)
{
.reg .b64 %rd<4>;
ld.param.v2.b64 {%rd1, %rd2}, [in];
ld.param.b64 %rd3, [plus];
add.u64 %rd1, %rd1, %rd3;
st.param.v2.b64 [out], {%rd2, %rd1};
ret;
}
.func leave_if_third(.param .b32 in)
{
.reg .b32 %r<4>;
.reg .pred %p<2>;
ld.param.b32 %r1, [in];
rem.u32 %r1, %r1, 3;
setp.eq.u32 %p1, %r1, 0;
@%p1 exit;
ret;
}
)";

#define CALL(call) "{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %r1;\n" call "\nld.param.b32 %r5, [r];\n}\n"

U32 fibonacci(U32 n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

TEST(Call, PassesArgumentsAndResults) {
  check_cases({
      {"one", CALL("call (r), twice, (a);"), [](U32 t) { return 2 * t; }, kFunctions},
      {"within a call", CALL("call.uni (r), square_of_twice, (a);"), [](U32 t) { return 4 * t * t; }, kFunctions},
      {"where the guard holds",
       "and.b32 %r6, %r1, 6;\nsetp.eq.u32 %p1, %r6, 2;\n" CALL("st.param.b32 [r], 99;\n@%p1 call (r), twice, (a);"),
       [](U32 t) { return (t & 6) == 2 ? 2 * t : 99; }, kFunctions},
      {"parameters by their addresses",
       "{\n.param .align 8 .b8 a[8];\n.param .b32 r;\nst.param.b32 [a], %r1;\nst.param.b32 [a+4], 5;\n"
       "call (r), second_plus_first, (a);\nld.param.b32 %r5, [r];\n}\n",
       [](U32 t) { return t + 5; }, kFunctions},
      {"returns before and at the end", CALL("call (r), steps_by_parity, (a);"),
       [](U32 t) { return t % 2 == 1 ? t + 1 : 1000; }, kFunctions},
      {"recursion of one's own depth",
       "and.b32 %r6, %r1, 7;\n{\n.param .b32 a;\n.param .b32 r;\nst.param.b32 [a], %r6;\ncall (r), fibonacci, "
       "(a);\nld.param.b32 %r5, [r];\n}\n",
       [](U32 t) { return fibonacci(t & 7); }, kFunctions},
      {"a structure and more than one argument",
       "{\n.param .align 16 .b8 a[16];\n.param .b64 b;\n.param .align 16 .b8 r[16];\ncvt.u64.u32 %rd5, "
       "%r1;\nst.param.b64 "
       "[a], 5;\nst.param.b64 [a+8], %rd5;\nst.param.b64 [b], 1000;\ncall (r), exchanged, (a, b);\nld.param.v2.b64 "
       "{%rd6, %rd7}, [r];\n}\nadd.u64 %rd6, %rd6, %rd7;\ncvt.u32.u64 %r5, %rd6;\n",
       [](U32 t) { return t + 1005; }, kFunctions},
      {"registers of the caller are its own",
       "mov.u32 %r2, 17;\n" CALL("call (r), square, (a);") "add.u32 %r5, %r5, %r2;\n", [](U32 t) { return t * t + 17; },
       kFunctions},
      {"exits from within a call",
       "{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall leave_if_third, (a);\n}\nmov.u32 %r5, 3;\n",
       [](U32 t) { return t % 3 == 0 ? 0u : 3u; }, kFunctions},
  });
}

#define POINTER "PROTOTYPE: .callprototype (.param .b32 _) _ (.param .b32 _);\n"

TEST(Call, GoesWhereThePointerPoints) {
  const std::string with_table = std::string(kFunctions) + ".global .align 8 .u64 table[2] = {twice, square};\n";
  check_cases({
      {"one way", "mov.u64 %rd5, square;\n" CALL(POINTER "call (r), %rd5, (a), PROTOTYPE;"),
       [](U32 t) { return t * t; }, kFunctions},
      {"three ways at once",
       "mov.u64 %rd5, square;\nmov.u64 %rd6, twice;\nmov.u64 %rd7, square_of_twice;\nrem.u32 %r6, %r1, 3;\nsetp.eq.u32 "
       "%p1, %r6, 1;\nselp.b64 %rd5, %rd6, %rd5, %p1;\nsetp.eq.u32 %p1, %r6, 2;\nselp.b64 %rd5, %rd7, %rd5, "
       "%p1;\n" CALL(POINTER "call (r), %rd5, (a), PROTOTYPE;"),
       [](U32 t) { return t % 3 == 0   ? t * t
                          : t % 3 == 1 ? 2 * t
                                       : 4 * t * t; }, kFunctions},
      {"through a table in memory",
       "and.b32 %r6, %r1, 1;\nmul.wide.u32 %rd5, %r6, 8;\nmov.u64 %rd6, table;\nadd.u64 %rd5, %rd5, "
       "%rd6;\nld.global.u64 "
       "%rd5, [%rd5];\n" CALL(POINTER "call (r), %rd5, (a), PROTOTYPE;"),
       [](U32 t) { return t % 2 == 0 ? 2 * t : t * t; }, with_table.c_str()},
  });
}

/// The fault of one launch of `body`.
Fault fault_of(const std::string& body, U32 threads = 64) {
  Program program;
  program.ptx = kernel_with(1, body, kFunctions);
  program.shape = {{3, 1, 1}, {threads, 1, 1}, 0, false};
  const Result result = run(program, {Bytes(4)});
  EXPECT_EQ(result.refusal, "") << body;
  return result.outcome.fault;
}

TEST(Trap, StopsTheKernelAndNamesTheThread) {
  const Fault fault = fault_of("setp.ge.u32 %p1, %r1, 101;\n@%p1 trap;\n");  // first: lane 5 of warp 1 of block 1
  EXPECT_EQ(fault.kind, FaultKind::kTrap);
  EXPECT_NE(fault.sentence.find("trap"), std::string::npos) << fault.sentence;
  EXPECT_EQ(fault.block.x, 1u);
  EXPECT_EQ(fault.thread.x, 37u);
  EXPECT_NE(fault.ptx_line, 0u);
}

TEST(Trap, NobodyExecutesHurtsNobody) {
  EXPECT_EQ(fault_of("setp.ge.u32 %p1, %r1, 1000;\n@%p1 trap;\n").kind, FaultKind::kNone);
}

TEST(Call, ThroughAPointerThatIsNoFunctionStopsTheKernel) {
  for (const char* pointer :
       {"mov.u64 %rd5, 0;\n", "mov.u64 %rd5, %rd0;\n", "mov.u64 %rd5, square;\nadd.u64 %rd5, %rd5, 4;\n"}) {
    const Fault fault = fault_of(pointer + std::string(CALL(POINTER "call (r), %rd5, (a), PROTOTYPE;")));
    EXPECT_EQ(fault.kind, FaultKind::kInvalidPc) << pointer;
  }
}

TEST(Call, EndlessRecursionIsStoppedWithAReason) {
  Program program;
  program.ptx = kernel_with(0, "call forever;\n", ".func forever()\n{\ncall forever;\nret;\n}\n");
  const Fault fault = run(program, {}).outcome.fault;
  EXPECT_EQ(fault.kind, FaultKind::kStackOverflow);
  EXPECT_NE(fault.sentence.find("recursion"), std::string::npos) << fault.sentence;
}

TEST(Call, TheStackLimitDecidesHowDeepRecursionMayGo) {
  const char* const kDepth =
      ".func deeper(.param .b32 in)\n{\n.reg .b32 %r<3>;\n.reg .pred %p<2>;\n.param .b32 a;\nld.param.b32 %r1, [in];\n"
      "setp.eq.u32 %p1, %r1, 0;\n@%p1 ret;\nsub.u32 %r1, %r1, 1;\nst.param.b32 [a], %r1;\ncall deeper, (a);\nret;\n}\n";
  Program program;
  program.ptx = kernel_with(0, "{\n.param .b32 a;\nst.param.b32 [a], 1000;\ncall deeper, (a);\n}\n", kDepth);
  program.options.stack_bytes = 1024;
  EXPECT_EQ(run(program, {}).outcome.fault.kind, FaultKind::kStackOverflow);
  program.options.stack_bytes = 64 * 1024;
  EXPECT_EQ(run(program, {}).outcome.fault.kind, FaultKind::kNone);
}

TEST(Control, WhatIsNotThereIsRefused) {
  for (const char* instruction :
       {"bra %r5;", "call nowhere;", "call.foo twice;", "exit.now;", "{\n.param .b32 a;\ncall (a), nowhere, (a);\n}"}) {
    Program program;
    program.ptx = kernel_with(1, instruction, kFunctions);
    EXPECT_NE(run(program, {Bytes(64)}).refusal, "") << instruction;
  }
}

}  // namespace
}  // namespace vgpu::test
