// The bound that LANEWISE_VGPU_ISA sets is kept: without it the tests of the older instruction sets would test the
// newest again.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "harness/vgpu/machine/builder.h"

namespace vgpu {
namespace {

TEST(Dispatch, KeepsToTheInstructionSetThatIsAskedFor) {
  const char* const bound = std::getenv("LANEWISE_VGPU_ISA");
  const std::string isa(opcode_isa());
  EXPECT_TRUE(isa == "v2" || isa == "v3" || isa == "v4" || isa == "v8") << isa;
  if (bound != nullptr) {
    EXPECT_LE(isa, bound);
  }
}

// As on a processor that has none of what was compiled: one sentence, not an illegal instruction.
TEST(DispatchDeathTest, SaysWhyNothingCanRun) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";  // a process of its own, which has not chosen yet
  const auto choose = [] {
    setenv("LANEWISE_VGPU_ISA", "v1", 1);
    opcode_isa();
  };
  EXPECT_EXIT(choose(), ::testing::ExitedWithCode(3), "LANEWISE_VGPU_ISA=v1 allows no instruction set");
}

TEST(Dispatch, KnowsNoOpcodeThatIsNotInTheTable) {
  EXPECT_EQ(find_opcode("wgmma"), nullptr);
  EXPECT_EQ(find_opcode(""), nullptr);
  for (const std::string_view name : all_opcodes()) {
    ASSERT_NE(find_opcode(name), nullptr) << name;
    EXPECT_EQ(find_opcode(name)->opcode, name);
  }
}

}  // namespace
}  // namespace vgpu
