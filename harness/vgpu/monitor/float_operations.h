// The floating-point operations that an instruction stands for.
#pragma once

#include "harness/vgpu/monitor/counts.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// Of one thread. Additions, multiplications, divisions and approximate functions count one, multiply-adds two, on
/// pairs of 16 bits twice as many; comparisons, conversions and changes of sign none.
FloatOperations float_operations_of(const ptx::Instruction& instruction);

}  // namespace vgpu
