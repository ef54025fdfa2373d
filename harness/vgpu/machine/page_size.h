// The system's pages: of 4 KiB on x86-64, of up to 64 KiB on Arm.
#pragma once

#include <unistd.h>

#include <cstdint>

namespace vgpu {

inline std::uint64_t page_bytes() {
  static const auto kBytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return kBytes;
}

}  // namespace vgpu
