// A warp's width, lane masks, and the extents of grids: the vocabulary every other file of the machine uses.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace vgpu {

inline constexpr int kLanes = 32;

/// One bit a lane; bit 0 is lane 0.
using Mask = std::uint32_t;

inline constexpr Mask kAllLanes = ~Mask{0};

/// A lane for each lane.
using LaneNumbers = std::array<std::uint8_t, kLanes>;

/// Lanes [0, count).
constexpr Mask first_lanes(std::uint32_t count) { return count >= 32 ? kAllLanes : (Mask{1} << count) - 1; }

/// Extents or coordinates of a grid or block.
struct Extent3 {
  std::uint32_t x = 1, y = 1, z = 1;

  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

/// "(1,0,0)"
inline std::string spelled(Extent3 e) {
  return "(" + std::to_string(e.x) + "," + std::to_string(e.y) + "," + std::to_string(e.z) + ")";
}

}  // namespace vgpu
