// Directions and the faces of a cube, as the CUDA C++ Programming Guide's table of cubemap textures has them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace vgpu {

/// A direction's face of a cube and the place on it: from 0 to 1, beyond that if it lies beside the face.
struct CubePlace {
  std::uint32_t face = 0;
  float s = 0, t = 0;
};

CubePlace on_cube(const std::array<float, 3>& direction);

/// How the place on its face changes where a direction changes by `change`, to first order.
std::array<double, 2> along_cube(const std::array<float, 3>& direction, const std::array<float, 3>& change);

/// An element of a face.
struct CubeElement {
  std::uint32_t face = 0;
  std::int64_t x = 0, y = 0;
};

/// The element at (x, y) of a face of `extent` by `extent` elements, which may lie one element beside the face: then it
/// is one of the next face. Nothing beyond a corner, where only three faces meet.
std::optional<CubeElement> across_edges(const CubeElement& element, std::int64_t extent);

}  // namespace vgpu
