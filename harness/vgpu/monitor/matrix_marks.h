// What matrix instructions do to marks: they move elements between lanes, and every sum has the marks of its row of A,
// its column of B and its own element of C.
#pragma once

#include <array>
#include <cstdint>

#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/machine/observer.h"
#include "harness/vgpu/monitor/marks.h"

namespace vgpu {

/// Bytes of each lane's access, bit n for byte n, and where the marks of each come from.
struct MatrixBytes {
  std::array<std::uint32_t, kLanes> bytes{};
  std::array<OriginId, kLanes> origins{};
};

bool is_matrix_instruction(const ptx::Instruction& instruction);

/// Those that give the address of what is loaded or stored.
Mask lanes_with_address(const ptx::Instruction& instruction, const Insn& insn, Mask lanes);

/// Bytes of an element that it loads or stores.
std::uint32_t matrix_element_bytes(const ptx::Instruction& instruction, const Insn& insn);

/// Marks what an access that is shown loads.
void mark_loaded_matrix(FrameMarks& marks, const MemoryAccess& access, const ptx::Instruction& instruction,
                        const MatrixBytes& missing);

/// The marks of what it stores.
MatrixBytes marks_of_stored_matrix(const FrameMarks& marks, const MemoryAccess& access,
                                   const ptx::Instruction& instruction);

/// The registers that it stores.
std::vector<OperandSlot> registers_of_matrix(const Insn& insn);

void multiply_marks(FrameMarks& marks, const Insn& insn);
void transpose_marks(FrameMarks& marks, const Insn& insn);

}  // namespace vgpu
