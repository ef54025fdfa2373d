#include "harness/vgpu/cost/uniform_registers.h"

#include <algorithm>
#include <string_view>

namespace vgpu {
namespace {

bool begins(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

bool is_of_block(std::string_view special) {
  constexpr std::string_view kOfBlock[] = {"%ctaid", "%nctaid", "%ntid", "%gridid", "%cluster", "%ncluster"};
  return std::any_of(std::begin(kOfBlock), std::end(kOfBlock),
                     [&](std::string_view name) { return begins(special, name); });
}

/// Whether a load reads what is the same for all lanes wherever their operands are: not what a thread has of its own,
/// such as local memory, which a generic address may lead to, and what a call has passed or returned.
bool is_common(const ptx::Function& function, const ptx::Instruction& load) {
  if (!ptx::has_modifier(load, "param"))
    return ptx::has_modifier(load, "global") || ptx::has_modifier(load, "shared") || ptx::has_modifier(load, "const");
  const ptx::Operand& base = load.operands.at(1).elements.at(0);
  return function.is_kernel && std::any_of(function.parameters.begin(), function.parameters.end(),
                                           [&](const ptx::Parameter& own) { return own.name == base.name; });
}

/// Whether an instruction gives lanes with the same operands the same result, and nothing else decides about it.
bool is_computation(const ptx::Function& function, const ptx::Instruction& instruction) {
  constexpr std::string_view kOthers[] = {"atom",   "shfl", "vote", "match", "activemask", "elect", "movmatrix",
                                          "call",   "tex",  "tld4", "suld",  "txq",        "suq",   "redux",
                                          "alloca", "mapa", "wmma", "mma",   "stmatrix"};
  if (begins(instruction.opcode, "ld")) return instruction.opcode == "ld" && is_common(function, instruction);
  return std::none_of(std::begin(kOthers), std::end(kOthers),
                      [&](std::string_view name) { return begins(instruction.opcode, name); });
}

/// Registers that the instruction may give a value; those of an address are only read.
template <class Visit>
void each_result(const ptx::Operand& operand, const Visit& visit) {
  if (operand.kind == ptx::Operand::Kind::kAddress) return;
  if (operand.kind == ptx::Operand::Kind::kRegister) visit(operand.index);
  for (const ptx::Operand& element : operand.elements) each_result(element, visit);
}

}  // namespace

bool is_uniform(const ptx::Operand& operand, const std::vector<bool>& uniform) {
  switch (operand.kind) {
    case ptx::Operand::Kind::kRegister:
      return uniform[operand.index];
    case ptx::Operand::Kind::kSpecial:
      return is_of_block(operand.name);
    case ptx::Operand::Kind::kAddress:
    case ptx::Operand::Kind::kVector:
      return std::all_of(operand.elements.begin(), operand.elements.end(),
                         [&](const ptx::Operand& element) { return is_uniform(element, uniform); });
    default:
      return true;
  }
}

std::vector<bool> uniform_registers(const ptx::Function& function) {
  std::vector<int> definitions(function.registers.size());
  for (const ptx::Instruction& instruction : function.body)
    if (!instruction.operands.empty())
      each_result(instruction.operands.front(), [&](std::uint32_t index) { ++definitions[index]; });
  std::vector<bool> uniform(function.registers.size());
  for (bool grows = true; grows;) {
    grows = false;
    for (const ptx::Instruction& instruction : function.body) {
      if (instruction.operands.empty() || instruction.guarded || !is_computation(function, instruction)) continue;
      const bool has_uniform_sources =
          std::all_of(instruction.operands.begin() + 1, instruction.operands.end(),
                      [&](const ptx::Operand& operand) { return is_uniform(operand, uniform); });
      if (!has_uniform_sources) continue;
      each_result(instruction.operands.front(), [&](std::uint32_t index) {
        if (definitions[index] != 1 || uniform[index]) return;
        uniform[index] = grows = true;
      });
    }
  }
  return uniform;
}

}  // namespace vgpu
