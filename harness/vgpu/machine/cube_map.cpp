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
template <class Number>
struct OnFace {
  Number m, s, t;
};

template <class Number>
OnFace<Number> seen_from(std::uint32_t face, const std::array<Number, 3>& vector) {
  const FaceAxes& axes = kFaces[face];
  return {axes.m_sign * vector[axes.m], axes.s_sign * vector[axes.s], axes.t_sign * vector[axes.t]};
}

/// The direction to (s, t), each from -1 to 1, of a face.
std::array<double, 3> direction_to(std::uint32_t face, double s, double t) {
  const FaceAxes& axes = kFaces[face];
  std::array<double, 3> direction{};
  direction[axes.m] = axes.m_sign;
  direction[axes.s] = axes.s_sign * s;
  direction[axes.t] = axes.t_sign * t;
  return direction;
}

template <class Number>
std::uint32_t face_of(const std::array<Number, 3>& direction) {
  const auto [x, y, z] = direction;
  const Number ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (ax > ay && ax > az) return x >= 0 ? 0 : 1;
  if (ay > az) return y >= 0 ? 2 : 3;
  return z >= 0 ? 4 : 5;
}

}  // namespace

CubePlace on_cube(const std::array<float, 3>& direction) {
  const std::uint32_t face = face_of(direction);
  const OnFace<float> at = seen_from(face, direction);
  return {face, (at.s / at.m + 1) / 2, (at.t / at.m + 1) / 2};
}

std::array<double, 2> along_cube(const std::array<float, 3>& direction, const std::array<float, 3>& change) {
  const std::uint32_t face = face_of(direction);
  const OnFace<float> at = seen_from(face, direction), by = seen_from(face, change);
  const double m = at.m, twice = 2 * m * m;
  return {(m * by.s - static_cast<double>(at.s) * by.m) / twice, (m * by.t - static_cast<double>(at.t) * by.m) / twice};
}

std::optional<CubeElement> across_edges(const CubeElement& element, std::int64_t extent) {
  const auto beside = [&](std::int64_t at) { return at < 0 || at >= extent; };
  if (!beside(element.x) && !beside(element.y)) return element;
  if (beside(element.x) && beside(element.y)) return std::nullopt;
  // The direction to the element's middle meets the next face within half an element of the middle of its neighbour; in
  // float, faces of 16,384 elements would be too large for that.
  const auto middle = [&](std::int64_t at) {
    return static_cast<double>(2 * at + 1 - extent) / static_cast<double>(extent);
  };
  const std::array<double, 3> direction = direction_to(element.face, middle(element.x), middle(element.y));
  const std::uint32_t face = face_of(direction);
  const OnFace<double> at = seen_from(face, direction);
  const auto index = [&](double along) {
    return static_cast<std::int64_t>((along / at.m + 1) / 2 * static_cast<double>(extent));
  };
  return CubeElement{face, index(at.s), index(at.t)};
}

}  // namespace vgpu
