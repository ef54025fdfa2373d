// Which line of the PTX text an instruction of machine code was made from: the table that ptxas writes with -lineinfo.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace vgpu::ptx {

/// Where one function's machine code begins to be of another line. Addresses count from `base`, the place in the table
/// that the function's address is to be put into.
struct LineSequence {
  std::uint64_t base = 0;
  std::map<std::uint64_t, std::uint32_t> line_from;  ///< by address; the last one ends the code
};

/// The sequences of the section .nv_debug_line_sass, which is a table of DWARF 2 or 3. Hostile bytes are fine: what
/// comes after damage is left out.
std::vector<LineSequence> read_line_table(std::string_view section);

}  // namespace vgpu::ptx
