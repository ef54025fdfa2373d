// Conversions from and to pairs of 8-bit floats, compiled once: see byte_float_convert.cpp.
#pragma once

#include "harness/vgpu/machine/builder.h"

namespace vgpu {

/// Whether a cvt has one of these formats, e4m3x2 and e5m2x2, at either end.
bool converts_byte_floats(const ptx::Instruction& instruction);

void build_byte_float_conversion(Builder& b);

}  // namespace vgpu
