// What lies at a device address that host code tripped over.
#pragma once

#include <cstdint>

namespace vgpu::cudart {

struct PointerDescription {
  char text[256] = {};        ///< "element 12 of d_in"; empty if the address is in no device's memory
  char allocation[64] = {};   ///< what `text` calls memory that has no name: "a device allocation of 400 bytes"
  std::uint64_t made_at = 0;  ///< Allocation::site of that memory
};

/// Async-signal-safe: if the runtime itself was interrupted, less is said.
PointerDescription describe_pointer(std::uint64_t address);

}  // namespace vgpu::cudart
