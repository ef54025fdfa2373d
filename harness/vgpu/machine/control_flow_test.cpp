// Basic blocks, and where the ways out of each meet, for the shapes that compilers make.
#include "harness/vgpu/machine/control_flow.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <variant>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu {
namespace {

constexpr std::uint32_t kEnd = kNoInstruction;

/// `body` has one instruction a line; line numbers count them. Checks where the block of line `from` meets: the line
/// that the meeting block begins with.
void expect_meetings(const char* what, const std::string& body,
                     const std::map<std::uint32_t, std::uint32_t>& expected) {
  auto parsed =
      ptx::parse(".version 8.5\n.target sm_90\n.address_size 64\n.func f()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<4>;\n" +
                 body + "}\n");
  ASSERT_TRUE(std::holds_alternative<ptx::Module>(parsed)) << what << ": " << std::get<ptx::Diagnostic>(parsed).message;
  const ptx::Function& function = std::get<ptx::Module>(parsed).functions.at(0);
  const ControlFlow flow = analyse_control_flow(function);
  ASSERT_EQ(flow.block_of.size(), function.body.size()) << what;
  for (std::uint32_t i = 0; i < function.body.size(); ++i) {
    EXPECT_LE(flow.blocks[flow.block_of[i]].begin, i) << what;
    EXPECT_GT(flow.blocks[flow.block_of[i]].end, i) << what;
  }
  for (const auto& [from, meeting] : expected) {
    const std::uint32_t block = flow.meeting_block.at(flow.block_of.at(from));
    EXPECT_EQ(block == kNoInstruction ? kEnd : flow.blocks[block].begin, meeting) << what << ", instruction " << from;
  }
}

TEST(ControlFlow, WaysMeetAtTheImmediatePostDominator) {
  expect_meetings("if", "@%p1 bra END;\nmov.u32 %r1, 1;\nEND:\nmov.u32 %r2, 2;\nret;\n", {{0, 2}, {1, 2}});
  expect_meetings("if and else",
                  "@%p1 bra ELSE;\nmov.u32 %r1, 1;\nbra END;\nELSE:\nmov.u32 %r1, 2;\nEND:\nmov.u32 %r2, 2;\nret;\n",
                  {{0, 4}, {1, 4}, {3, 4}});
  expect_meetings("nested", "@%p1 bra END;\n@%p2 bra IN;\nmov.u32 %r1, 1;\nIN:\nmov.u32 %r1, 2;\nEND:\nret;\n",
                  {{0, 4}, {1, 3}, {2, 3}, {3, 4}});
  expect_meetings("loop", "mov.u32 %r1, 0;\nLOOP:\nadd.u32 %r1, %r1, 1;\n@%p1 bra LOOP;\nret;\n",
                  {{0, 1}, {1, 3}, {2, 3}});
  expect_meetings("loop with a way out in the middle",
                  "LOOP:\nadd.u32 %r1, %r1, 1;\n@%p1 bra OUT;\nadd.u32 %r2, %r2, 1;\nbra LOOP;\nOUT:\nret;\n",
                  {{0, 4}, {2, 0}});
  expect_meetings("ways that meet only at the function's end", "@%p1 bra OTHER;\nret;\nOTHER:\nexit;\n",
                  {{0, kEnd}, {1, kEnd}, {2, kEnd}});
  expect_meetings("a return under a guard ends no path",
                  "@%p1 ret;\nmov.u32 %r1, 1;\n@%p2 bra END;\nmov.u32 %r1, 2;\nEND:\nret;\n", {{0, 4}, {3, 4}});
  expect_meetings("an endless loop has no end to meet at",
                  "@%p1 bra OUT;\nLOOP:\nadd.u32 %r1, %r1, 1;\nbra LOOP;\nOUT:\nret;\n", {{0, 3}, {1, kEnd}});
  expect_meetings("switch",
                  "brx.idx %r1, WAYS;\nWAYS: .branchtargets A, B, C;\nA:\nmov.u32 %r2, 1;\nbra END;\nB:\nmov.u32 %r2, "
                  "2;\nC:\nmov.u32 %r2, "
                  "3;\nEND:\nret;\n",
                  {{0, 5}, {1, 5}, {3, 4}, {4, 5}});
  expect_meetings("a branch to the next instruction", "@%p1 bra NEXT;\nNEXT:\nret;\n", {{0, 1}});
}

TEST(ControlFlow, OfAnEmptyFunctionIsEmpty) { expect_meetings("empty", "", {}); }

}  // namespace
}  // namespace vgpu
