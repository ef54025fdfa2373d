// What one PTX instruction becomes in machine code: how many instructions, on which unit, and what waits for its
// result.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// The units of a multiprocessor that execute instructions.
enum class Unit : std::uint8_t { kNone, kFp32, kFp64, kInteger, kSpecial, kMemory, kTensor };
inline constexpr std::uint32_t kUnits = 7;

/// The latency class of an instruction's result.
enum class Latency : std::uint8_t {
  kNone,     ///< it disappears in machine code
  kCompute,  ///< registers to registers
  kShared,   ///< shared memory, shuffles
  kL2,       ///< the round trip to the second level, whatever is there
  kGlobal,   ///< a request that goes to the caches and perhaps to DRAM
};

struct InstructionCost {
  std::uint8_t issues = 1;  ///< machine instructions of the warp
  Unit unit = Unit::kInteger;
  std::uint8_t unit_uses = 1;  ///< of `issues`, those that take the unit; of tensor cores: 32 multiply-adds of f16
  Latency latency = Latency::kCompute;
  bool is_ordered = false;         ///< barriers and fences: what follows waits for everything before
  bool is_fenced = false;          ///< releases, to more than its block: nvcc puts a fence in front of it
  std::uint8_t detour_clocks = 0;  ///< textures: longer than a load that finds its data in the same place; tensor
                                   ///< cores: longer than arithmetic; other blocks' shared memory: than the own
};

/// PTX is not what runs. ptxas removes moves, address conversions and reads of parameters, and turns a 64-bit addition
/// into two instructions and a division into a dozen or more. The numbers are estimates, from the code that nvcc 13.0
/// generates for each operation alone for sm_90 (2026-11-22), without paths that ordinary operands do not take. Which
/// unit does what: CUDA C++ Programming Guide 13.0, "Arithmetic Instructions".
/// Constants are free where all lanes of a warp want the same, as far as `uniform` (uniform_registers) shows it.
InstructionCost cost_of(const ptx::Instruction& instruction, const std::vector<bool>& uniform);

}  // namespace vgpu
