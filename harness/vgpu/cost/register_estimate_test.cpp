// Registers of a thread as estimated: what counts, what does not, and what limits them.
#include "harness/vgpu/cost/register_estimate.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu {
namespace {

constexpr std::uint32_t kBeyondPressure = 8;  // of any kernel

std::uint32_t estimate(const std::string& directives, const std::string& body,
                       std::uint32_t (*of)(const ptx::Function&) = estimated_registers) {
  const auto parsed = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n.global .u32 word;\n"
      ".func (.param .b32 r) f() { .reg .b32 %r1; mov.u32 %r1, 0; st.param.b32 [r], %r1; ret; }\n"
      ".entry k(.param .u64 at) " +
      directives +
      "{\n.reg .b32 %r<200>; .reg .b64 %rd<9>; .reg .pred %p<9>; .reg .b128 %q;\n"
      "ld.param.u64 %rd1, [at];\n" +
      body + "ret; }\n");
  const auto* const module = std::get_if<ptx::Module>(&parsed);
  if (module == nullptr) throw std::runtime_error(std::get<ptx::Diagnostic>(parsed).message);
  return of(*find_function(*module, "k"));
}

std::string loads(int count) {
  std::string text = "mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd3, %rd1, %rd2;\n";
  for (int n = 1; n <= count; ++n)
    text += "ld.global.u32 %r" + std::to_string(n) + ", [%rd3+" + std::to_string(4 * n) + "];\n";
  return text;
}
std::string stores(int count) {
  std::string text;
  for (int n = 1; n <= count; ++n) text += "st.global.u32 [%rd3], %r" + std::to_string(n) + ";\n";
  return text;
}

struct PressureCase {
  const char* name;
  std::string body;
  std::uint32_t pressure;
};
std::ostream& operator<<(std::ostream& to, const PressureCase& c) { return to << c.name; }

class RegisterEstimate : public testing::TestWithParam<PressureCase> {};

TEST_P(RegisterEstimate, CountsWhatIsStillNeededWhereThatIsMost) {
  EXPECT_EQ(estimate("", GetParam().body), GetParam().pressure + kBeyondPressure);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, RegisterEstimate,
    testing::Values(
        PressureCase{"nothing", "", 0}, PressureCase{"the_same_for_all_lanes", "st.global.u64 [%rd1], %rd1;", 0},
        PressureCase{"address_and_ten_values", loads(10) + stores(10), 12},
        PressureCase{"each_used_at_once", loads(1) + stores(1) + loads(1) + stores(1), 3},
        PressureCase{"never_used", loads(10), 3},
        PressureCase{"a_predicate", "mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 3; @%p1 st.global.u32 [%rd1], 1;", 1},
        PressureCase{
            "through_a_loop",
            loads(5) + "mov.u32 %r9, %tid.x;\nL: add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 9; @%p1 bra L;" + stores(5),
            8},
        PressureCase{"written_in_part_only",
                     "mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; setp.eq.u32 %p1, %r2, 3; @%p1 mov.u32 %r1, %r2;"
                     "st.global.u32 [%rd1], %r1;",
                     2}),
    [](const auto& info) { return info.param.name; });

TEST(RegisterLimits, BoundTheEstimate) {
  const std::string many = loads(120) + stores(120);
  EXPECT_EQ(estimate("", many), 130u);
  EXPECT_EQ(estimate(".maxnreg 40", many), 40u);
  EXPECT_EQ(estimate(".maxntid 1024", many), 64u);
  EXPECT_EQ(estimate(".reqntid 32, 16", many), 128u);
  EXPECT_EQ(estimate(".maxntid 256 .minnctapersm 3", many), 80u) << "85 and a third, given out in eights";
  EXPECT_EQ(estimate(".maxntid 64", many), 130u);
  EXPECT_EQ(estimate("", loads(190) + loads(190) + stores(190)), 200u);
}

// A limit far below the need would be paid for by spills, which PTX does not have.
TEST(RegisterLimits, FarBelowTheNeedMakeNoRoom) {
  const auto occupied = [](const std::string& directives, int values) {
    return estimate(directives, loads(values) + stores(values), occupied_registers);
  };
  EXPECT_EQ(occupied("", 120), 130u);
  EXPECT_EQ(occupied(".maxntid 64", 120), 130u) << "above the need";
  EXPECT_EQ(occupied(".reqntid 32, 16", 120), 128u) << "near it: ptxas may need fewer than estimated";
  EXPECT_EQ(occupied(".maxnreg 40", 120), 130u);
  EXPECT_EQ(occupied(".maxntid 256 .minnctapersm 8", 120), 130u);
  EXPECT_EQ(occupied(".maxntid 256 .minnctapersm 8", 30), 32u);
}

TEST(RegisterLimits, CallsTakeWhatTheyPass) { EXPECT_EQ(estimate("", "{ .param .b32 r; call (r), f, (); }"), 24u); }

}  // namespace
}  // namespace vgpu
