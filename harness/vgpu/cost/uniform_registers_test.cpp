// Which addresses are the same in every lane, as far as the text shows it.
#include "harness/vgpu/cost/uniform_registers.h"

#include <gtest/gtest.h>

#include <ostream>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu {
namespace {

struct Case {
  const char* name;
  const char* body;  // its last st stores to the address in question
  bool is_uniform;
};

std::ostream& operator<<(std::ostream& to, const Case& c) { return to << c.name; }

class UniformRegisters : public testing::TestWithParam<Case> {};

TEST_P(UniformRegisters, AreWhatTheTextShows) {
  const auto parsed = ptx::parse(std::string(".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 word;\n"
                                             ".entry k(.param .u64 at, .param .u32 count) {\n"
                                             ".reg .b32 %r<10>; .reg .b64 %rd<9>; .reg .pred %p<3>;\n"
                                             ".local .b8 own[16];\nld.param.u64 %rd1, [at];\n") +
                                 GetParam().body + "ret; }\n");
  const auto* const module = std::get_if<ptx::Module>(&parsed);
  ASSERT_NE(module, nullptr) << std::get<ptx::Diagnostic>(parsed).message;
  const ptx::Function* const kernel = find_function(*module, "k");
  ASSERT_NE(kernel, nullptr);
  const ptx::Instruction* store = nullptr;
  for (const ptx::Instruction& instruction : kernel->body)
    if (instruction.opcode == "st") store = &instruction;
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(is_uniform(store->operands.at(0), uniform_registers(*kernel)), GetParam().is_uniform);
}

INSTANTIATE_TEST_SUITE_P(
    All, UniformRegisters,
    testing::Values(Case{"Variable", "st.global.u32 [word], 1;\n", true},
                    Case{"Parameter", "st.global.u32 [%rd1+4], 1;\n", true},
                    Case{"OfTheBlock",
                         "mov.u32 %r1, %ctaid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                         "st.global.u32 [%rd3], 1;\n",
                         true},
                    Case{"OfTheThread",
                         "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd3, %rd1, %rd2;\n"
                         "st.global.u32 [%rd3], 1;\n",
                         false},
                    Case{"ReadFromWhereAllLook", "ld.global.u64 %rd2, [%rd1];\nst.global.u32 [%rd2], 1;\n", true},
                    Case{"ReadFromALanesOwnMemory", "ld.local.u64 %rd2, [own];\nst.global.u32 [%rd2], 1;\n", false},
                    Case{"ReadFromWhoKnowsWhere", "ld.u64 %rd2, [%rd1];\nst.global.u32 [%rd2], 1;\n", false},
                    Case{"ReturnedByACall",
                         ".param .b64 result;\nld.param.u64 %rd2, [result];\nst.global.u32 [%rd2], 1;\n", false},
                    Case{"GivenByAnAtomic", "atom.global.add.u64 %rd2, [%rd1], 8;\nst.global.u32 [%rd2], 1;\n", false},
                    Case{"GuardedByAPredicate",
                         "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 add.s64 %rd2, %rd1, 4;\n"
                         "st.global.u32 [%rd2], 1;\n",
                         false},
                    Case{"OfTwoWays",
                         "mov.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra there;\n"
                         "add.s64 %rd2, %rd1, 4;\nthere:\nst.global.u32 [%rd2], 1;\n",
                         false},
                    Case{"Selected",
                         "ld.param.u32 %r1, [count];\nsetp.eq.u32 %p1, %r1, 0;\nadd.s64 %rd2, %rd1, 4;\n"
                         "selp.b64 %rd3, %rd1, %rd2, %p1;\nst.global.u32 [%rd3], 1;\n",
                         true}),
    [](const testing::TestParamInfo<Case>& info) { return info.param.name; });

}  // namespace
}  // namespace vgpu
