#include "harness/vgpu/monitor/warp_synchronous.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/warp.h"
#include "harness/vgpu/monitor/value_origin.h"

namespace vgpu {
namespace {

std::size_t index_of(const ptx::Function& function, const ptx::Instruction& instruction) {
  return static_cast<std::size_t>(&instruction - function.body.data());
}

bool is_jump(const ptx::Instruction& instruction) {
  return instruction.opcode == "bra" && !instruction.operands.empty() &&
         instruction.operands[0].kind == ptx::Operand::Kind::kLabel;
}

bool is_exchange(const ptx::Instruction& instruction) {
  return instruction.opcode == "shfl" || instruction.opcode == "vote" || instruction.opcode == "match" ||
         instruction.opcode == "redux" || instruction.opcode == "elect";
}

/// Where a warp keeps an element of what it stores.
struct Held {
  std::uint32_t offset = 0;  ///< among its registers
  std::uint32_t slot = 0;    ///< bytes of a lane; 0: unknown

  const std::byte* of(const Warp& warp, int lane) const {
    return warp.registers + offset + static_cast<std::uint32_t>(lane) * slot;
  }
};

/// Whether `test` holds for all elements, each of so many bytes, of the `count` that a lane stores.
template <class Test>
bool all_elements(const ptx::Function& function, const Insn& insn, const ptx::Instruction& store, std::uint32_t count,
                  const Test& test) {
  using Kind = ptx::Operand::Kind;
  const ptx::Operand& value = store.operands.at(1);
  const std::size_t elements = value.kind == Kind::kVector ? value.elements.size() : 1;
  const std::uint32_t each = count / static_cast<std::uint32_t>(elements);
  for (std::size_t n = 0; n < elements; ++n) {
    const ptx::Operand& element = value.kind == Kind::kVector ? value.elements[n] : value;
    const ptx::Type type = element.kind == Kind::kRegister ? function.registers[element.index].type
                           : element.kind == Kind::kImmediate && !store.modifiers.empty()
                               ? ptx::type_named(store.modifiers.back())
                               : ptx::Type::kNone;
    const std::uint32_t offset =
        insn.extra != nullptr ? static_cast<const std::vector<std::uint32_t>*>(insn.extra)->at(n) : insn.dst;
    const std::uint32_t slot = type == ptx::Type::kNone ? 0 : bytes_of(slot_for(type)) / kLanes;
    if (!test(static_cast<std::uint32_t>(n), Held{offset, slot}, each)) return false;
  }
  return true;
}

}  // namespace

bool waits_for(const ptx::Function& function, const ptx::Instruction& load) {
  const std::vector<ptx::Instruction>& body = function.body;
  const std::size_t at = index_of(function, load);
  for (std::size_t end = at; end < body.size(); ++end) {
    if (!is_jump(body[end]) || body[end].operands[0].index > at) continue;
    const std::size_t begin = body[end].operands[0].index;
    for (std::size_t n = begin; n <= end; ++n) {
      if (!is_jump(body[n]) || !body[n].guarded) continue;
      const std::size_t target = body[n].operands[0].index;
      const bool decides = n == end || target < begin || target > end;
      ptx::Operand guard;
      guard.kind = ptx::Operand::Kind::kRegister;
      guard.index = body[n].guard;
      if (decides && comes_from(function, guard, load)) return true;
    }
  }
  return false;
}

bool may_exchange_between(const ptx::Function& function, const ptx::Instruction& from, const ptx::Instruction& to) {
  const auto begin = function.body.begin(), end = function.body.end();
  const auto first = begin + static_cast<std::ptrdiff_t>(index_of(function, from));
  const auto last = begin + static_cast<std::ptrdiff_t>(index_of(function, to));
  if (first < last) return std::any_of(first, last, is_exchange);
  return std::any_of(begin, last, is_exchange) || std::any_of(first, end, is_exchange);
}

bool stores_bytes(const Warp& warp, const ptx::Function& function, const Insn& insn, const ptx::Instruction& store,
                  int lane, const std::byte* bytes, std::uint32_t count) {
  return all_elements(function, insn, store, count, [&](std::uint32_t n, const Held& held, std::uint32_t each) {
    return held.slot >= each && std::memcmp(held.of(warp, lane), bytes + n * each, each) == 0;
  });
}

bool stores_differ(const Warp& warp, const ptx::Function& function, const Insn& insn, const ptx::Instruction& store,
                   int lane, int other, std::uint32_t count) {
  return !all_elements(function, insn, store, count, [&](std::uint32_t, const Held& held, std::uint32_t each) {
    return held.slot < each || std::memcmp(held.of(warp, lane), held.of(warp, other), each) == 0;
  });
}

}  // namespace vgpu
