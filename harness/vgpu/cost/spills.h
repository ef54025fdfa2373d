// What ptxas adds to a kernel for want of registers: values that it stores in local memory and loads again.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/vgpu/ptx/machine_code.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// Beside an instruction, each `copies` times that a warp executes it.
struct Spills {
  std::uint32_t loads = 0, stores = 0;            ///< machine instructions
  std::uint32_t load_words = 0, store_words = 0;  ///< of 32 bits
  std::uint64_t copies = 1;

  /// How many of such a number there are in so many executions, rounded.
  std::uint64_t in(std::uint64_t executions, std::uint32_t number) const {
    return (executions * number + copies / 2) / copies;
  }
};

/// Of each instruction of the function's body; empty if there are none. `code`: of the kernel that it is a part of.
///
/// An instruction that ptxas has written down several times in an unrolled loop is executed by one of these copies at a
/// time: a block of code has as many as half of its lines do, at least. What local memory PTX itself asks for is no
/// spill.
std::vector<Spills> spills_of(const ptx::Function& function, const ptx::CodeByLine& code);

}  // namespace vgpu
