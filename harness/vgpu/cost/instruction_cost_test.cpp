// Instructions of the machine that stand for one of PTX, as nvcc 13.0 generates them for sm_90.
#include "harness/vgpu/cost/instruction_cost.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "harness/vgpu/ptx/parser.h"

namespace vgpu {
namespace {

InstructionCost cost_of_one(const std::string& instruction) {
  const auto parsed = ptx::parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".entry k() {\n.reg .f32 %f<4>;\n" +
      instruction + "\nret; }\n");
  const auto* const module = std::get_if<ptx::Module>(&parsed);
  if (module == nullptr) throw std::runtime_error(std::get<ptx::Diagnostic>(parsed).message);
  const ptx::Function& kernel = *find_function(*module, "k");
  return cost_of(kernel.body.front(), {});
}

TEST(InstructionCost, AnApproximationUsesTheUnitOnceWhateverIsDoneAboutTinyNumbers) {
  const struct {
    const char* instruction;
    int instructions;
  } kApproximations[] = {
      {"rsqrt.approx.f32 %f1, %f2;", 4},    {"rsqrt.approx.ftz.f32 %f1, %f2;", 1},
      {"sqrt.approx.f32 %f1, %f2;", 4},     {"sqrt.approx.ftz.f32 %f1, %f2;", 1},
      {"ex2.approx.f32 %f1, %f2;", 4},      {"ex2.approx.ftz.f32 %f1, %f2;", 1},
      {"lg2.approx.f32 %f1, %f2;", 4},      {"lg2.approx.ftz.f32 %f1, %f2;", 1},
      {"rcp.approx.f32 %f1, %f2;", 7},      {"rcp.approx.ftz.f32 %f1, %f2;", 1},
      {"div.approx.f32 %f1, %f2, %f3;", 5}, {"div.approx.ftz.f32 %f1, %f2, %f3;", 2},
      {"div.full.f32 %f1, %f2, %f3;", 8},   {"sin.approx.f32 %f1, %f2;", 2},
      {"sin.approx.ftz.f32 %f1, %f2;", 2},  {"tanh.approx.f32 %f1, %f2;", 1},
  };
  for (const auto& [instruction, instructions] : kApproximations) {
    const InstructionCost cost = cost_of_one(instruction);
    EXPECT_EQ(cost.issues, instructions) << instruction;
    EXPECT_EQ(cost.unit, Unit::kSpecial) << instruction;
    EXPECT_EQ(cost.unit_uses, 1) << instruction;
  }
}

}  // namespace
}  // namespace vgpu
