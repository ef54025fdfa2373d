#include "harness/vgpu/monitor/float_operations.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace vgpu {
namespace {

std::uint64_t operations_of(std::string_view opcode) {
  constexpr std::string_view kOne[] = {"add",   "sub", "mul", "div", "rcp", "sqrt",
                                       "rsqrt", "sin", "cos", "ex2", "lg2", "tanh"};
  if (opcode == "fma" || opcode == "mad") return 2;
  return std::find(std::begin(kOne), std::end(kOne), opcode) != std::end(kOne) ? 1 : 0;
}

}  // namespace

FloatOperations float_operations_of(const ptx::Instruction& instruction) {
  const std::uint64_t operations = operations_of(instruction.opcode);
  if (operations == 0) return {};
  for (const std::string_view modifier : instruction.modifiers) {
    switch (ptx::type_named(modifier)) {
      case ptx::Type::kNone:
        continue;
      case ptx::Type::kF16:
      case ptx::Type::kBF16:
        return {operations, 0, 0};
      case ptx::Type::kF16x2:
      case ptx::Type::kBF16x2:
        return {2 * operations, 0, 0};
      case ptx::Type::kF32:
        return {0, operations, 0};
      case ptx::Type::kF64:
        return {0, 0, operations};
      default:
        return {};
    }
  }
  return {};
}

}  // namespace vgpu
