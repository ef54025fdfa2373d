// What texture and surface instructions share: the shapes their names stand for, and the objects behind handles.
#pragma once

#include <array>

#include "harness/vgpu/machine/block.h"
#include "harness/vgpu/machine/image_handles.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/opcodes/access.h"

namespace vgpu {
namespace {

/// .1d, .2d, ...: a modifier, how many coordinates count behind it (a layer's number is the first of them; what
/// follows is there to fill up four), and what it is called in sentences.
struct Geometry {
  const char* modifier;
  bool layered;
  std::size_t coordinates;
  const char* words;
};

constexpr Geometry kGeometries[] = {
    {"1d", false, 1, "1-D"},
    {"2d", false, 2, "2-D"},
    {"3d", false, 3, "3-D"},
    {"a1d", true, 2, "layered 1-D"},
    {"a2d", true, 3, "layered 2-D"},
    {"cube", false, 3, "cubemap"},
    {"acube", true, 4, "layered cubemap"},
};
/// How many floating-point coordinates say where on it.
constexpr std::size_t axes_of(const Geometry& geometry) { return geometry.coordinates - (geometry.layered ? 1 : 0); }

enum GeometryNumber : std::uint32_t {
  kGeometry1D,
  kGeometry2D,
  kGeometry3D,
  kGeometryA1D,
  kGeometryA2D,
  kGeometryCube,
  kGeometryACube
};

inline std::uint32_t take_geometry(Builder& b) {
  const int found = b.take_one_of({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"});
  if (found < 0) b.refuse(b.spelled());
  return static_cast<std::uint32_t>(found);
}

/// The shape that an image is to have to be used with a geometry.
inline ImageShape shape_of(std::uint32_t geometry) {
  constexpr ImageShape kShapes[] = {ImageShape::k1D,         ImageShape::k2D,        ImageShape::k3D,
                                    ImageShape::k1DLayered,  ImageShape::k2DLayered, ImageShape::kCube,
                                    ImageShape::kCubeLayered};
  return kShapes[geometry];
}

inline const char* words_for(ImageShape shape) {
  for (std::uint32_t n = 0; n < std::size(kGeometries); ++n)
    if (shape_of(n) == shape) return kGeometries[n].words;
  return "linear";
}

/// Reads the coordinates that count into `list`, from entry `at` on. All of them have 32 bits.
inline void read_coordinates(Builder& b, const ptx::Operand& address, std::uint32_t geometry,
                             std::vector<std::uint32_t>& list, std::size_t at) {
  const std::vector<const ptx::Operand*> given = b.take_coordinates(address);
  const std::size_t wanted = kGeometries[geometry].coordinates;
  if (given.size() != wanted && !(wanted == 3 && given.size() == 4))
    b.refuse(b.spelled() + " with " + std::to_string(given.size()) + " coordinates");
  for (std::size_t n = 0; n < wanted; ++n) b.read(list[at + n], *given[n], SlotSize::k32);
}

/// The device's objects; none if it was given none.
inline const ImageHandles& images_of(const Warp& warp) {
  static const ImageHandles kNone;
  const ImageHandles* const images = warp.block->launch().options().images;
  return images != nullptr ? *images : kNone;
}

/// Calls use(handle, lanes that hold it) for every handle among `lanes`; false as soon as `use` is.
template <class Use>
inline bool each_handle(const std::uint64_t* handles, Mask lanes, Use use) {
  while (lanes != 0) {
    const std::uint64_t handle = handles[__builtin_ctz(lanes)];
    Mask same = 0;
    each_lane(lanes, [&](int lane) { same |= static_cast<Mask>(handles[lane] == handle) << lane; });
    if (!use(handle, same)) return false;
    lanes &= ~same;
  }
  return true;
}

}  // namespace
}  // namespace vgpu
