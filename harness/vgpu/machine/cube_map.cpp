#include "harness/vgpu/machine/cube_map.h"

#include <cmath>

namespace vgpu {
namespace {

/// Which coordinate of a direction leads away from a face, and which along it, each with its sign.
struct FaceAxes {
  std::size_t m, s, t;
  float m_sign, s_sign, t_sign;
};
constexpr FaceAxes kFaces[] = {{0, 2, 1, 1, -1, -1}, {0, 2, 1, -1, 1, -1}, {1, 0, 2, 1, 1, 1},
                               {1, 0, 2, -1, 1, -1}, {2, 0, 1, 1, 1, -1},  {2, 0, 1, -1, -1, -1}};

/// A vector as a face sees it: m away from it, s and t along it.
struct OnFace {
  float m, s, t;
};

OnFace seen_from(std::uint32_t face, const std::array<float, 3>& vector) {
  const FaceAxes& axes = kFaces[face];
  return {axes.m_sign * vector[axes.m], axes.s_sign * vector[axes.s], axes.t_sign * vector[axes.t]};
}

/// The direction to (s, t), each from -1 to 1, of a face.
std::array<float, 3> direction_to(std::uint32_t face, float s, float t) {
  const FaceAxes& axes = kFaces[face];
  std::array<float, 3> direction{};
  direction[axes.m] = axes.m_sign;
  direction[axes.s] = axes.s_sign * s;
  direction[axes.t] = axes.t_sign * t;
  return direction;
}

std::uint32_t face_of(const std::array<float, 3>& direction) {
  const auto [x, y, z] = direction;
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (ax > ay && ax > az) return x >= 0 ? 0 : 1;
  if (ay > az) return y >= 0 ? 2 : 3;
  return z >= 0 ? 4 : 5;
}

}  // namespace

CubePlace on_cube(const std::array<float, 3>& direction) {
  const std::uint32_t face = face_of(direction);
  const OnFace at = seen_from(face, direction);
  return {face, (at.s / at.m + 1) / 2, (at.t / at.m + 1) / 2};
}

std::array<double, 2> along_cube(const std::array<float, 3>& direction, const std::array<float, 3>& change) {
  const std::uint32_t face = face_of(direction);
  const OnFace at = seen_from(face, direction), by = seen_from(face, change);
  const double m = at.m, twice = 2 * m * m;
  return {(m * by.s - static_cast<double>(at.s) * by.m) / twice, (m * by.t - static_cast<double>(at.t) * by.m) / twice};
}

std::optional<CubeElement> across_edges(const CubeElement& element, std::int64_t extent) {
  const auto beside = [&](std::int64_t at) { return at < 0 || at >= extent; };
  if (!beside(element.x) && !beside(element.y)) return element;
  if (beside(element.x) && beside(element.y)) return std::nullopt;
  // The direction to the element's middle meets the next face within half an element of the middle of its neighbour.
  const auto middle = [&](std::int64_t at) {
    return static_cast<float>(2 * at + 1 - extent) / static_cast<float>(extent);
  };
  const CubePlace place = on_cube(direction_to(element.face, middle(element.x), middle(element.y)));
  const auto index = [&](float at) { return static_cast<std::int64_t>(at * static_cast<float>(extent)); };
  return CubeElement{place.face, index(place.s), index(place.t)};
}

}  // namespace vgpu
