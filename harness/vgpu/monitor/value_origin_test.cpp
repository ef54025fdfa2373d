// Which stored values may have been computed from memory.
#include "harness/vgpu/monitor/value_origin.h"

#include <gtest/gtest.h>

#include <ostream>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu {
namespace {

struct StoredValue {
  const char* name;
  const char* body;  // its last st stores the value in question
  bool from_memory;
};

std::ostream& operator<<(std::ostream& to, const StoredValue& c) { return to << c.name; }

class ValueOrigin : public testing::TestWithParam<StoredValue> {};

TEST_P(ValueOrigin, IsMemoryIfALoadMayHaveGivenIt) {
  const auto parsed = ptx::parse(std::string(".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 word;\n"
                                             ".func (.param .b32 result) other(.param .b32 given);\n"
                                             ".entry k(.param .u64 at, .param .u32 count) {\n"
                                             ".reg .b32 %r<10>; .reg .b64 %rd<4>; .reg .pred %p<3>;\n") +
                                 GetParam().body + "ret; }\n");
  const auto* const module = std::get_if<ptx::Module>(&parsed);
  ASSERT_NE(module, nullptr) << std::get<ptx::Diagnostic>(parsed).message;
  const ptx::Function* const kernel = find_function(*module, "k");
  ASSERT_NE(kernel, nullptr);
  const ptx::Instruction* store = nullptr;
  for (const ptx::Instruction& instruction : kernel->body)
    if (instruction.opcode == "st") store = &instruction;
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(comes_from_memory(*kernel, store->operands.at(1)), GetParam().from_memory);
}

INSTANTIATE_TEST_SUITE_P(
    All, ValueOrigin,
    testing::Values(
        StoredValue{"Immediate", "st.global.u32 [word], 1;\n", false},
        StoredValue{"Constant", "mov.u32 %r1, 1;\nst.global.u32 [word], %r1;\n", false},
        StoredValue{
            "ParameterAndThread",
            "ld.param.u32 %r1, [count];\nmov.u32 %r2, %tid.x;\nadd.u32 %r3, %r1, %r2;\nst.global.u32 [word], %r3;\n",
            false},
        StoredValue{"Counter",
                    "mov.u32 %r1, 0;\nagain:\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 bra again;\n"
                    "st.global.u32 [word], %r1;\n",
                    false},
        StoredValue{"AddressOnly", "ld.global.u64 %rd1, [word];\nmov.u32 %r1, 1;\nst.global.u32 [%rd1], %r1;\n", false},
        StoredValue{"ConstantMemory", "ld.const.u32 %r1, [word];\nst.global.u32 [word], %r1;\n", false},
        StoredValue{"Load", "ld.global.u32 %r1, [word];\nst.global.u32 [word], %r1;\n", true},
        StoredValue{"ByWayOfOthers",
                    "ld.shared.u32 %r1, [%r9];\nshfl.sync.up.b32 %r2|%p1, %r1, 1, 0, -1;\nadd.u32 %r3, %r2, 1;\n"
                    "st.global.u32 [word], %r3;\n",
                    true},
        StoredValue{"ByAPredicate",
                    "ld.global.u32 %r1, [word];\nsetp.eq.u32 %p1, %r1, 0;\nselp.u32 %r2, 1, 2, %p1;\n"
                    "st.global.u32 [word], %r2;\n",
                    true},
        StoredValue{
            "PartOfAVector",
            "ld.global.u32 %r1, [word];\nmov.u32 %r2, 1;\nmov.b64 %rd1, {%r2, %r1};\nst.global.u64 [word], %rd1;\n",
            true},
        StoredValue{"OneOfTwo", "ld.global.u32 %r1, [word];\nmov.u32 %r2, 1;\nst.global.v2.u32 [word], {%r2, %r1};\n",
                    true},
        StoredValue{"VectorLoad", "ld.global.v2.u32 {%r1, %r2}, [word];\nst.global.u32 [word], %r2;\n", true},
        StoredValue{
            "RoundTheLoop",
            "mov.u32 %r1, 0;\nmov.u32 %r3, 0;\nagain:\nmov.u32 %r4, %r3;\nmov.u32 %r3, %r2;\n"
            "ld.global.u32 %r2, [word];\nsetp.lt.u32 %p1, %r4, 9;\n@%p1 bra again;\nst.global.u32 [word], %r4;\n",
            true},
        StoredValue{"Atomic", "atom.global.add.u32 %r1, [word], 1;\nst.global.u32 [word], %r1;\n", true},
        StoredValue{"ResultOfAFunction",
                    "{\n.param .b32 given;\n.param .b32 back;\nst.param.b32 [given], 1;\n"
                    "call.uni (back), other, (given);\nld.param.b32 %r1, [back];\n}\nst.global.u32 [word], %r1;\n",
                    true}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ValueOrigin, OfAFunctionsParametersIsAnything) {
  const auto parsed = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 word;\n.func f(.param .b32 given) {\n"
      ".reg .b32 %r<4>; ld.param.b32 %r1, [given]; st.global.b32 [word], %r1; ret; }\n");
  const auto* const module = std::get_if<ptx::Module>(&parsed);
  ASSERT_NE(module, nullptr) << std::get<ptx::Diagnostic>(parsed).message;
  const ptx::Function* const function = find_function(*module, "f");
  ASSERT_NE(function, nullptr);
  EXPECT_TRUE(comes_from_memory(*function, function->body.at(1).operands.at(1)));
}

// Whether the first load of the function and its last compare-and-swap go to one place.
bool go_to_one_place(const std::string& body) {
  const auto parsed = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 word[9];\n"
      ".entry k(.param .u64 at) {\n.reg .b32 %r<10>; .reg .b64 %rd<9>; .reg .pred %p1;\n" +
      body + "ret; }\n");
  const auto* const module = std::get_if<ptx::Module>(&parsed);
  if (module == nullptr) return false;
  const ptx::Function* const kernel = find_function(*module, "k");
  std::optional<Place> load, swap;
  for (const ptx::Instruction& instruction : kernel->body) {
    if (instruction.opcode == "ld" && !load) load = place_accessed(*kernel, instruction);
    if (instruction.opcode == "atom") swap = place_accessed(*kernel, instruction);
  }
  return load && swap && load == swap;
}

TEST(PlaceAccessed, IsTheSameHoweverItsConstantsAreAdded) {
  const std::string load = "ld.global.u32 %r1, [%rd1+16];\n", swap = "atom.global.cas.b32 %r3, [%rd7], %r1, %r2;\n";
  EXPECT_TRUE(go_to_one_place(load + "add.s64 %rd7, %rd1, 16;\n" + swap));
  EXPECT_TRUE(go_to_one_place(load + "add.s64 %rd6, %rd1, 20;\nadd.s64 %rd7, %rd6, -4;\n" + swap));
  EXPECT_TRUE(go_to_one_place(load + "mov.u64 %rd7, %rd1;\natom.global.cas.b32 %r3, [%rd7+16], %r1, %r2;\n"));
  EXPECT_TRUE(go_to_one_place("ld.global.u32 %r1, [word+8];\nmov.u64 %rd2, word;\nadd.s64 %rd7, %rd2, 8;\n" + swap));
  EXPECT_FALSE(go_to_one_place(load + "add.s64 %rd7, %rd1, 20;\n" + swap));
  EXPECT_FALSE(go_to_one_place(load + "add.s64 %rd7, %rd2, 16;\n" + swap));
  EXPECT_FALSE(go_to_one_place(load + "add.s64 %rd7, %rd1, 16;\nadd.s64 %rd7, %rd7, 4;\n" + swap))
      << "a register that is two things";
}

}  // namespace
}  // namespace vgpu
