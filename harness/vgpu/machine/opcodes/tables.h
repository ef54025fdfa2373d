// The opcode tables: one a file under opcodes/, and for the families that work lane by lane one an instruction set as
// well. A new file adds its name here and in CMakeLists.txt. Files that give other families' opcodes more types have no
// rows, and are in CMakeLists.txt alone.
#pragma once

#include <cstddef>

#include "harness/vgpu/machine/builder.h"

namespace vgpu {

struct OpcodeTable {
  const OpcodeRow* rows;
  std::size_t count;
};

/// Families compiled once for each instruction set: loops over lanes. Those of arithmetic only compute.
#define VGPU_ARITHMETIC_FAMILIES(apply, isa)                                                                           \
  apply(arithmetic, isa) apply(float_arithmetic, isa) apply(simd_arithmetic, isa) apply(bits, isa) apply(compare, isa) \
      apply(convert, isa) apply(move, isa)
#define VGPU_LANE_FAMILIES(apply, isa) \
  VGPU_ARITHMETIC_FAMILIES(apply, isa) \
  apply(memory, isa) apply(atomics, isa) apply(warp_sync, isa) apply(matrix_multiply, isa)

/// Families compiled once: no lane is in a hurry there.
#define VGPU_COMMON_FAMILIES(apply)                                                                     \
  apply(control, common) apply(barriers, common) apply(async_copy, common) apply(matrix_memory, common) \
      apply(texture, common) apply(surface, common) apply(video, common)

#define VGPU_DECLARE_TABLE(family, isa) extern const OpcodeTable family##_rows_##isa;
VGPU_LANE_FAMILIES(VGPU_DECLARE_TABLE, v2)
VGPU_LANE_FAMILIES(VGPU_DECLARE_TABLE, v3)
VGPU_LANE_FAMILIES(VGPU_DECLARE_TABLE, v4)
VGPU_LANE_FAMILIES(VGPU_DECLARE_TABLE, v8)
VGPU_COMMON_FAMILIES(VGPU_DECLARE_TABLE)
#undef VGPU_DECLARE_TABLE

/// What is left of a store that has turned out to be asynchronous.
void build_async_store(Builder& b);

}  // namespace vgpu
