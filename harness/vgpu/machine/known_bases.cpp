#include "harness/vgpu/machine/known_bases.h"

#include <cstddef>
#include <map>
#include <utility>

#include "harness/vgpu/machine/translator/passage.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {
namespace {

/// A register or a constant; constants are never written.
using Base = std::pair<SlotReference::Of, std::uint32_t>;

/// In other instructions `c` is something else.
bool takes_part(const Insn& insn, const ptx::Instruction& instruction) {
  const bool is_plain_access = instruction.opcode == "ld" || instruction.opcode == "ldu" || instruction.opcode == "st";
  return is_plain_access && (insn.c & kTakesPart) != 0;
}

}  // namespace

void find_shared_bases(Code& code, const std::vector<SlotReference>& references) {
  const std::vector<bool> begins = run_begins(code);
  std::map<Base, std::uint32_t> first_uses;
  std::size_t next = 0;
  for (Insn& insn : code.insns) {
    if (begins[insn.index]) first_uses.clear();
    const std::size_t first_reference = next;
    while (next < references.size() && references[next].insn == insn.index) ++next;
    if (insn.source >= code.function->body.size() || insn.run == return_handler()) continue;
    const ptx::Instruction& instruction = instruction_of(code, insn);
    for (std::size_t n = first_reference; n < next; ++n) {
      const SlotReference& reference = references[n];
      const bool is_base =
          reference.list_entry == nullptr && reference.insn_byte == offsetof(Insn, a) && !reference.is_definition;
      if (!is_base || !takes_part(insn, instruction)) continue;
      const auto [known, is_first] = first_uses.try_emplace(Base{reference.of, reference.which}, insn.index);
      const BaseKey key = known->second + 1;
      if (is_first || key > kMostBaseKey) continue;
      insn.c |= key << kBaseKeyShift;
      Insn& first = code.insns[known->second];
      if (base_key(&first) == 0) first.c |= key << kBaseKeyShift;
    }
    for (std::size_t n = first_reference; n < next; ++n)
      if (references[n].is_definition) first_uses.erase(Base{references[n].of, references[n].which});
    if (instruction.opcode == "call") first_uses.clear();
  }
}

}  // namespace vgpu
