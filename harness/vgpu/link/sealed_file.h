// Files in memory that another process may have.
#pragma once

#include <cstdint>

namespace vgpu::link {

/// A new one, which nobody can make shorter: that would end every process that reads it. -1, with errno, if there is no
/// room.
int sealed_file(const char* name, std::uint64_t bytes);

}  // namespace vgpu::link
