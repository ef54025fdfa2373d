// What ptxas found out about each kernel, read from the machine code beside the PTX: registers and local memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace vgpu::ptx {

struct KernelResources {
  std::uint32_t registers = 0;    ///< of a thread
  std::uint32_t local_bytes = 0;  ///< stack frame of a thread
};

/// By mangled kernel name; empty if the bytes are no cubin (a 64-bit ELF image). Hostile bytes are fine.
std::map<std::string, KernelResources> read_kernel_resources(const std::string& elf);

}  // namespace vgpu::ptx
