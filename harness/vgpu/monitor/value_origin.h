// Where a value comes from, and whether it goes anywhere, as the text of a function has it.
#pragma once

#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// Whether what `operand`, a register or a vector of them, holds may have been computed from something that was read
/// from memory, rather than from constants, a kernel's parameters and the numbers of threads alone. Branches that lead
/// to one value or another do not count, nor do predicates that guard instructions.
bool comes_from_memory(const ptx::Function& function, const ptx::Operand& operand);

/// Whether no instruction uses the register that an atomic operation leaves the old value in, nor does itself.
bool is_result_unused(const ptx::Function& function, const ptx::Instruction& atomic);

}  // namespace vgpu
