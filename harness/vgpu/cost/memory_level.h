// Where a read of global memory found its data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vgpu {

/// In order of distance. Data spread over several places count as in the farthest.
enum class MemoryLevel : std::uint8_t {
  kL1,
  kL2,
  kLeft,  ///< in the second level, left there by an earlier launch: in a larger call it would have been evicted
  kDram,
};
inline constexpr std::size_t kPlaces = 4;

}  // namespace vgpu
