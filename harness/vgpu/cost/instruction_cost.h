// What one PTX instruction is to machine code: how many instructions become of it, which unit they take, what waits for
// its result.
#pragma once

#include <cstdint>

#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// The units of a multiprocessor that instructions are handed to.
enum class Unit : std::uint8_t { kNone, kFp32, kFp64, kInteger, kSpecial, kMemory };
inline constexpr std::uint32_t kUnits = 6;

/// How long after an instruction its result is there.
enum class Latency : std::uint8_t {
  kNone,     ///< nothing becomes of it in machine code
  kCompute,  ///< registers to registers
  kShared,   ///< shared memory, shuffles
  kL2,       ///< the way to the second level and back, whatever is there
  kGlobal,   ///< a request that goes to the caches and perhaps to DRAM
};

struct InstructionCost {
  std::uint8_t issues = 1;  ///< machine instructions of the warp
  Unit unit = Unit::kInteger;
  std::uint8_t unit_uses = 1;  ///< of `issues`, those that take the unit
  Latency latency = Latency::kCompute;
  bool is_ordered = false;  ///< barriers and fences: what comes after waits for all that came before
};

/// PTX is not what runs. ptxas makes nothing of moves, conversions of addresses and reads of parameters, two
/// instructions of an addition of 64 bits, and a dozen or more of a division. The numbers are estimates, after the
/// lengths of what nvcc 13.0 makes of each operation alone for sm_90 (2026-11-22), without ways that ordinary operands
/// do not take. Which unit does what: CUDA C++ Programming Guide 13.0, "Arithmetic Instructions".
InstructionCost cost_of(const ptx::Instruction& instruction);

}  // namespace vgpu
