// Which registers hold the same value in every lane of a warp, as far as the text of a function shows it.
#pragma once

#include <vector>

#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// By index into ptx::Function::registers. A register counts if one instruction alone gives it its value, no predicate
/// guards that, and it computes the value from constants, the kernel's parameters, the block's coordinates and other
/// such registers, or reads it from where these point. What ptxas proves beyond that, about loops and branches, is
/// ignored.
std::vector<bool> uniform_registers(const ptx::Function& function);

/// Whether every lane of a warp has the same value there: an immediate, a variable's address, a register of
/// uniform_registers, or an address made of these.
bool is_uniform(const ptx::Operand& operand, const std::vector<bool>& uniform);

}  // namespace vgpu
