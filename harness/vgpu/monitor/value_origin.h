// Where a value comes from, and whether it goes anywhere, as the text of a function has it.
#pragma once

#include <optional>

#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// Whether what `operand`, a register or a vector of them, holds may have been computed from something that was read
/// from memory, rather than from constants, a kernel's parameters and the numbers of threads alone. Branches that lead
/// to one value or another do not count, nor do predicates that guard instructions.
bool comes_from_memory(const ptx::Function& function, const ptx::Operand& operand);

/// Whether what `operand` holds may have been computed from what `source`, a load or the like, gave.
bool comes_from(const ptx::Function& function, const ptx::Operand& operand, const ptx::Instruction& source);

/// Whether no instruction uses the register that an atomic operation leaves the old value in, nor does itself.
bool is_result_unused(const ptx::Function& function, const ptx::Instruction& atomic);

/// An address as far as the text says: that of a register, or of a variable, and so many bytes on.
struct Place {
  ptx::Operand base;  ///< without offset
  std::int64_t offset = 0;

  bool operator==(const Place& other) const {
    return base.kind == other.base.kind && base.index == other.base.index && base.name == other.base.name &&
           offset == other.offset;
  }
};

/// Where an instruction with a result and an address, a load or an atomic operation, goes; sums with constants that
/// make up the address are taken apart.
std::optional<Place> place_accessed(const ptx::Function& function, const ptx::Instruction& access);

}  // namespace vgpu
