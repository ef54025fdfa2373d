// Where a read of global memory found what it asked for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vgpu {

/// Each farther away than the one before. What is spread over several places is there with the farthest.
enum class FoundAt : std::uint8_t {
  kL1,
  kL2,
  kLeft,  ///< in the second level, where a launch before has left it: in a larger call it would have made room
  kDram,
};
inline constexpr std::size_t kPlaces = 4;

}  // namespace vgpu
