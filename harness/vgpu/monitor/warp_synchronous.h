// What the text of a kernel says about how its lanes hand values to each other, and what a store is about to write.
#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

struct Warp;

/// Whether a thread goes round a loop until `load`, in it, gives another value: what the load gives decides whether the
/// loop is left.
bool waits_for(const ptx::Function& function, const ptx::Instruction& load);

/// Whether lanes may exchange values by a shuffle, a vote or the like on the way from one instruction to another, both
/// of the function. Where the way leads back, as round a loop, any outside of what lies between them may be on it.
bool may_exchange_between(const ptx::Function& function, const ptx::Instruction& from, const ptx::Instruction& to);

/// Whether `store`, an st that the warp is about to execute, writes just these bytes for the lane.
bool stores_bytes(const Warp& warp, const ptx::Function& function, const Insn& insn, const ptx::Instruction& store,
                  int lane, const std::byte* bytes, std::uint32_t count);
/// Whether it writes other bytes for one lane than for another one, as far as is known.
bool stores_differ(const Warp& warp, const ptx::Function& function, const Insn& insn, const ptx::Instruction& store,
                   int lane, int other, std::uint32_t count);

}  // namespace vgpu
