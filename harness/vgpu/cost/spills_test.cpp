// What spills cost: as often as the code is executed that they stand in, and what PTX asks for itself is none.
#include "harness/vgpu/cost/spills.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "harness/vgpu/cost/warp_path.h"
#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/ptx/parser.h"

namespace vgpu::test {
namespace {

/// A kernel and what ptxas might have said of its lines, which are those of `body` counted from 1.
class SpillsOf : public testing::Test {
 protected:
  void parse(const std::string& body) {
    const std::string text = kernel_with(1, "bra BODY;\nBODY:\n" + body);
    auto parsed = ptx::parse(text);
    ASSERT_TRUE(std::holds_alternative<ptx::Module>(parsed)) << std::get<ptx::Diagnostic>(parsed).message;
    module_ = std::get<ptx::Module>(std::move(parsed));
    const std::size_t label = text.find("BODY:\n");
    before_ =
        static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(label), '\n')) +
        1;
  }
  const ptx::Function& kernel() const { return *ptx::find_function(module_, "test"); }
  ptx::LineCode& line(std::uint32_t number) { return code_[before_ + number]; }

  /// Of the first instruction with that opcode.
  Spills at(std::string_view opcode) const {
    const auto spills = spills_of(kernel(), code_);
    for (std::size_t i = 0; i < spills.size(); ++i)
      if (kernel().body[i].opcode == opcode) return spills[i];
    return {};
  }
  WarpPath path() const {
    WarpPath sum;
    for (const PathStep& step : path_of(kernel(), spills_of(kernel(), code_))) sum += step.added;
    return sum;
  }

  ptx::Module module_;
  std::uint32_t before_ = 0;
  ptx::CodeByLine code_;
};

TEST_F(SpillsOf, StandAtTheInstructionOfTheirLine) {
  parse("add.u32 %r1, %r2, %r3;\nmul.lo.u32 %r1, %r1, %r3;\n");
  line(2) = {2, 1, 5, 1, 1};
  EXPECT_EQ(at("add").loads, 0u);
  EXPECT_EQ(at("mul").loads, 2u);
  EXPECT_EQ(at("mul").load_words, 5u);
  EXPECT_EQ(at("mul").stores, 1u);
  EXPECT_EQ(at("mul").store_words, 1u);
}

TEST_F(SpillsOf, OfALineWithoutAnInstructionStandAtTheNextOne) {
  parse("add.u32 %r1, %r2, %r3;\n\nmul.lo.u32 %r1, %r1, %r3;\n");
  line(2) = {1, 0, 1, 0, 0};
  EXPECT_EQ(at("mul").loads, 1u);
}

TEST_F(SpillsOf, FromNoLineStandWhereTheKernelBegins) {
  parse("add.u32 %r1, %r2, %r3;\n");
  code_[0] = {3, 0, 3, 0, 0};
  EXPECT_EQ(spills_of(kernel(), code_)[0].loads, 3u);
  EXPECT_EQ(at("add").loads, 0u);
}

TEST_F(SpillsOf, OtherFunctionsAreNotThisOnes) {
  parse("add.u32 %r1, %r2, %r3;\n");
  line(50) = {3, 0, 3, 0, 0};
  EXPECT_TRUE(spills_of(kernel(), code_).empty());
}

TEST_F(SpillsOf, LocalMemoryThatThePtxAsksForIsNone) {
  parse("ld.local.u32 %r1, [%rd0];\nst.local.u32 [%rd0], %r2;\nld.global.u32 %r3, [%rd0];\n");
  line(1) = {1, 0, 1, 0, 1};
  line(2) = {2, 1, 2, 1, 1};
  line(3) = {1, 0, 1, 0, 1};
  const auto spills = spills_of(kernel(), code_);
  EXPECT_EQ(at("st").loads, 2u) << "of its operands";
  EXPECT_EQ(at("st").stores, 0u);
  std::uint32_t loads = 0;
  for (const Spills& each : spills) loads += each.loads;
  EXPECT_EQ(loads, 3u);
}

TEST_F(SpillsOf, AnUnrolledLoopIsExecutedOneCopyAtATime) {
  parse("add.u32 %r1, %r2, %r3;\nadd.u64 %rd1, %rd2, %rd3;\nmul.lo.u32 %r1, %r1, %r3;\n");
  line(1) = {0, 0, 0, 0, 4};
  line(2) = {0, 0, 0, 0, 8};  // two instructions each
  line(3) = {8, 2, 8, 2, 4};
  EXPECT_EQ(at("mul").copies, 4u);
  EXPECT_EQ(at("mul").in(100, at("mul").loads), 200u);
  EXPECT_EQ(at("mul").in(100, at("mul").stores), 50u);
}

// The whole loop in one line of assembly: nobody knows which of its blocks has what is spilled in it.
TEST_F(SpillsOf, EachBlockOfALineHasAllOfThemAndItsInstructionsShareThem) {
  parse("mov.u32 %r1, 9; L: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;\n");
  line(1) = {4, 4, 4, 4, 1};
  const auto spills = spills_of(kernel(), code_);
  std::uint64_t once = 0, often = 0;
  for (std::size_t i = 0; i < spills.size(); ++i) {
    once += spills[i].in(1000, spills[i].loads);
    if (kernel().body[i].opcode == "sub") often = spills[i].in(1000, spills[i].loads);
  }
  EXPECT_EQ(once, 4000u + 3 * 1333u);
  EXPECT_EQ(often, 1333u);
}

TEST_F(SpillsOf, SeveralInstructionsOfALineAreNoUnrolledLoop) {
  parse("add.u32 %r1, %r2, %r3; add.u32 %r4, %r1, %r3; add.u32 %r5, %r4, %r3; add.u32 %r6, %r5, %r3;\n");
  line(1) = {8, 0, 8, 0, 4};
  EXPECT_EQ(at("add").copies, 4u) << "four share what is executed once";
  EXPECT_EQ(at("add").in(100, at("add").loads), 200u);
}

TEST_F(SpillsOf, AreWaitedForOnceInABlockAndTakeTurnsToIssue) {
  std::string body;
  for (int n = 0; n < 4; ++n) body += "add.u32 %r1, %r2, %r3;\n";
  parse(body);
  const WarpPath without = path();
  for (std::uint32_t n = 1; n <= 4; ++n) line(n) = {1, 0, 1, 0, 1};
  EXPECT_EQ((path() - without).l1_waits, 1);
  for (std::uint32_t n = 1; n <= 4; ++n) line(n) = {40, 40, 40, 40, 1};
  EXPECT_GE((path() - without).length(), 4 * 80 - 10);
}

TEST_F(SpillsOf, StoresAreNotWaitedFor) {
  parse("add.u32 %r1, %r2, %r3;\n");
  const WarpPath without = path();
  line(1) = {0, 3, 0, 3, 1};
  EXPECT_EQ((path() - without).l1_waits, 0);
}

}  // namespace
}  // namespace vgpu::test
