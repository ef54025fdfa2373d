// Where a read of global memory found what it asked for.
#pragma once

#include <cstdint>

namespace vgpu {

/// Each farther away than the one before. What is spread over several places is there with the farthest.
enum class FoundAt : std::uint8_t { kL1, kL2, kDram };

}  // namespace vgpu
