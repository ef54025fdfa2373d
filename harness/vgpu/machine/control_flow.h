// The shape of a function: basic blocks, their order, and where diverged lanes meet again.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/ptx/module.h"

namespace vgpu {

inline constexpr std::uint32_t kNoInstruction = ~0u;

struct BasicBlock {
  std::uint32_t begin = 0, end = 0;  ///< instructions [begin, end) of the function's body
  std::vector<std::uint32_t> successors;
};

struct ControlFlow {
  std::vector<BasicBlock> blocks;
  std::vector<std::uint32_t> block_of;  ///< of each instruction

  /// For each block, the block at which all its ways out meet first (its immediate post-dominator), or kNoInstruction
  /// if they meet only at the function's end.
  std::vector<std::uint32_t> meeting_block;
};

/// Targets of a branch as instruction indexes; empty for anything else.
std::vector<std::uint32_t> branch_targets(const ptx::Function& function, const ptx::Instruction& instruction);

/// True where control never goes on to the next instruction.
bool ends_path(const ptx::Instruction& instruction);

ControlFlow analyse_control_flow(const ptx::Function& function);

}  // namespace vgpu
