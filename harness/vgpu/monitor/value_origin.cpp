#include "harness/vgpu/monitor/value_origin.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace vgpu {
namespace {

using Registers = std::vector<bool>;  // by index into ptx::Function::registers

/// Adds the registers whose values `operand` passes on, addresses left out; false if all were there.
bool add(const ptx::Operand& operand, Registers& to) {
  if (operand.kind == ptx::Operand::Kind::kRegister) {
    const bool is_new = !to[operand.index];
    to[operand.index] = true;
    return is_new;
  }
  bool grows = false;
  if (operand.kind == ptx::Operand::Kind::kVector)
    for (const ptx::Operand& element : operand.elements) grows |= add(element, to);
  return grows;
}

bool names_one_of(const ptx::Operand& operand, const Registers& registers) {
  if (operand.kind == ptx::Operand::Kind::kRegister) return registers[operand.index];
  return operand.kind == ptx::Operand::Kind::kVector &&
         std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const ptx::Operand& element) { return names_one_of(element, registers); });
}

bool reads_memory(const ptx::Function& function, const ptx::Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "ld" && ptx::has_modifier(instruction, "const")) return false;
  if (opcode == "ld" && ptx::has_modifier(instruction, "param")) {
    // A function's parameters, and what it gets back from others, may be anything.
    const bool has_address = instruction.operands.size() > 1 && !instruction.operands[1].elements.empty();
    return !function.is_kernel || !has_address || instruction.operands[1].elements[0].index != ptx::Operand::kNotLocal;
  }
  const auto begins = [&](std::string_view with) { return opcode.substr(0, with.size()) == with; };
  return begins("ld") || begins("tex") || begins("tld4") || begins("suld") || opcode == "atom" || opcode == "call";
}

// Whether `operand` is that register, or has it as an element.
bool names_register(const ptx::Operand& operand, std::uint32_t index) {
  if (operand.kind == ptx::Operand::Kind::kRegister && operand.index == index) return true;
  return std::any_of(operand.elements.begin(), operand.elements.end(),
                     [&](const ptx::Operand& element) { return names_register(element, index); });
}

// Whether an instruction that is one of those meant gives something that `operand` may have been computed from.
template <class IsMeant>
bool comes_from_one(const ptx::Function& function, const ptx::Operand& operand, const IsMeant& is_meant) {
  Registers sources(function.registers.size());
  // Backwards, since values are mostly used behind where they are made; again for what loops carry round.
  for (bool grows = add(operand, sources); grows;) {
    grows = false;
    for (auto at = function.body.rbegin(); at != function.body.rend(); ++at) {
      if (at->operands.empty() || !names_one_of(at->operands[0], sources)) continue;
      if (is_meant(*at)) return true;
      for (std::size_t n = 1; n < at->operands.size(); ++n) grows |= add(at->operands[n], sources);
    }
  }
  return false;
}

// The one instruction that has the register as its result; null if there are several, or one that may be skipped.
const ptx::Instruction* only_source(const ptx::Function& function, std::uint32_t index) {
  const ptx::Instruction* source = nullptr;
  for (const ptx::Instruction& instruction : function.body) {
    if (instruction.operands.empty() || !names_register(instruction.operands.front(), index)) continue;
    if (instruction.operands.front().kind == ptx::Operand::Kind::kAddress) continue;  // a store there
    if (source != nullptr || instruction.guarded) return nullptr;
    source = &instruction;
  }
  return source;
}

}  // namespace

bool comes_from_memory(const ptx::Function& function, const ptx::Operand& operand) {
  return comes_from_one(function, operand,
                        [&](const ptx::Instruction& source) { return reads_memory(function, source); });
}

bool comes_from(const ptx::Function& function, const ptx::Operand& operand, const ptx::Instruction& source) {
  return comes_from_one(function, operand, [&](const ptx::Instruction& other) { return &other == &source; });
}

bool is_result_unused(const ptx::Function& function, const ptx::Instruction& atomic) {
  if (atomic.opcode == "red" || atomic.operands.front().kind == ptx::Operand::Kind::kSink) return true;
  if (atomic.operands.front().kind != ptx::Operand::Kind::kRegister) return false;  // a vector
  const std::uint32_t result = atomic.operands.front().index;
  return std::none_of(function.body.begin(), function.body.end(), [&](const ptx::Instruction& user) {
    return std::any_of(user.operands.begin() + (&user == &atomic ? 1 : 0), user.operands.end(),
                       [&](const ptx::Operand& operand) { return names_register(operand, result); });
  });
}

std::optional<Place> place_accessed(const ptx::Function& function, const ptx::Instruction& access) {
  using Kind = ptx::Operand::Kind;
  if (access.operands.size() < 2 || access.operands[1].kind != Kind::kAddress) return std::nullopt;
  const ptx::Operand* base = &access.operands[1].elements.at(0);
  Place place{{}, access.operands[1].offset};
  constexpr int kMostSteps = 8;  // round a loop there is no end
  for (int step = 0; step < kMostSteps && base->kind == Kind::kRegister; ++step) {
    const ptx::Instruction* const source = only_source(function, base->index);
    if (source == nullptr) break;
    const bool adds = source->opcode == "add" && source->operands[2].kind == Kind::kImmediate;
    if (!adds && source->opcode != "mov") break;
    if (source->operands[1].kind != Kind::kRegister && source->operands[1].kind != Kind::kSymbol) break;
    if (adds) place.offset += static_cast<std::int64_t>(source->operands[2].bits);
    base = &source->operands[1];
  }
  place.base = *base;
  place.offset += std::exchange(place.base.offset, 0);
  return place;
}

}  // namespace vgpu
