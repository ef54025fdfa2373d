// What ptxas found out about each kernel, read from the machine code beside the PTX: registers, local memory, and where
// the code comes back to it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace vgpu::ptx {

/// The machine code that was made from one line of the PTX text.
struct LineCode {
  std::uint32_t local_loads = 0, local_stores = 0;            ///< instructions
  std::uint32_t local_load_words = 0, local_store_words = 0;  ///< of 32 bits
  /// How often ptxas has written the line down, which unrolls loops: of its opcodes, but for those above, the number of
  /// the rarest. 0: there is no other one.
  std::uint32_t copies = 0;
};
/// By line; 0: ptxas has not said where it comes from.
using CodeByLine = std::map<std::uint32_t, LineCode>;

struct KernelResources {
  std::uint32_t registers = 0;    ///< of a thread
  std::uint32_t local_bytes = 0;  ///< stack frame of a thread
  CodeByLine code;                ///< empty if nothing of it accesses local memory
};

/// By mangled kernel name; empty if the bytes are no cubin (a 64-bit ELF image). Hostile bytes are fine.
std::map<std::string, KernelResources> read_kernel_resources(const std::string& elf);

}  // namespace vgpu::ptx
