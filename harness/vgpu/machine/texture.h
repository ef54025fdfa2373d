// Images as kernels reach them through textures and surfaces: where the elements lie, what they hold, and what a fetch
// does between and beyond them. Whoever makes textures fills these in; the machine only reads them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace vgpu {

enum class ChannelKind : std::uint8_t { kSigned, kUnsigned, kFloat };

/// What one element of an image holds: 1, 2 or 4 channels of one kind and size.
struct ElementFormat {
  ChannelKind kind = ChannelKind::kFloat;
  std::uint32_t channels = 1;
  std::uint32_t channel_bytes = 4;  ///< 1, 2 or 4; floats have 2 or 4

  std::uint32_t bytes() const { return channels * channel_bytes; }
};

/// How an image is addressed. Layers are images of one size that are chosen by a number, never blended.
enum class ImageShape : std::uint8_t {
  kLinear,  ///< elements of linear memory, by whole numbers
  k1D,
  k2D,
  k3D,
  k1DLayered,
  k2DLayered,
  kCube,         ///< six layers, by direction
  kCubeLayered,  ///< cube after cube, six layers each
};

/// Elements in device memory. Extents are in elements, and 1 where the shape has no such dimension.
struct Image {
  std::uint64_t address = 0;
  ImageShape shape = ImageShape::k1D;
  ElementFormat format;
  std::uint32_t width = 1, height = 1, depth = 1, layers = 1;
  std::uint64_t row_bytes = 0;    ///< from a row to the next one
  std::uint64_t slice_bytes = 0;  ///< from a slice (k3D) or a layer to the next one
};

/// What becomes of coordinates outside of an image.
enum class AddressMode : std::uint8_t {
  kWrap,
  kClamp,
  kMirror,
  kBorder,
  kSeam,  ///< of cubes: what is beside a face is on the next one
};

/// An image and how it is sampled.
struct Texture {
  Image image;
  std::vector<Image> smaller;  ///< levels 1, 2, ... of a mipmapped texture, whose level 0 is `image`
  std::array<AddressMode, 3> modes{AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  bool linear = false;         ///< blends neighbours instead of taking the nearest element
  bool linear_levels = false;  ///< blends two levels instead of taking the nearest one
  bool normalized = false;     ///< coordinates run from 0 to 1 instead of to the extent
  bool fractions = false;      ///< integers of 8 or 16 bits are read as fractions of their greatest value
  bool srgb = false;           ///< the first three channels are decoded from sRGB
  bool anisotropic = false;    ///< more than one sample along a gradient was asked for
  float level_bias = 0;        ///< added to a level of detail before it is limited
  float least_level = 0, greatest_level = 0;
  std::array<std::uint32_t, 4> border{};  ///< the bits read outside with AddressMode::kBorder
};

/// What a surface access outside of the image does.
enum class BoundaryMode : std::uint8_t {
  kTrap,   ///< stops the kernel
  kClamp,  ///< takes the nearest place inside
  kZero,   ///< reads zeros and writes nothing
};

}  // namespace vgpu
