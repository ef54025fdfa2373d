// How accesses and their addresses are spelled in messages.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "harness/vgpu/machine/observer.h"

namespace vgpu {

/// "read", "write", "atomic access"
inline const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
      return "read";
    case AccessKind::kStore:
      return "write";
    case AccessKind::kAtomic:
      return "atomic access";
  }
  return "";
}

/// "0x7f00"
inline std::string hexadecimal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace vgpu
