// From texture coordinates to elements and back to a value: address arithmetic and filtering, as the CUDA C++
// Programming Guide specifies in its appendix on texture fetching.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/vgpu/machine/texture.h"

namespace vgpu {

/// Where a fetch is asked for; what the shape has no use for is left alone.
struct TexturePoint {
  std::array<float, 3> at{};  ///< x, y, z; of a cube the direction
  std::uint32_t layer = 0;    ///< of a layered cube the number of the cube
  /// Of detail, to be biased and limited as the texture says; else level 0 as it is.
  std::optional<float> level{};
};

/// One element that takes part in a fetch.
struct Tap {
  std::uint64_t address;
  bool inside;    ///< else it reads the border
  double weight;  ///< at most 32 bits, but beside a cube's corner. 0: the element has no part in the result
};

constexpr std::size_t kMostTaps = 16;

/// The elements of one fetch: 1 for the nearest one, 2, 4 or 8 neighbours for linear filtering; then as many of the
/// next level if two levels are blended. A neighbour's bits count along x, y and z: bit 0 of its number is set for the
/// greater x.
struct TexelFootprint {
  std::array<Tap, kMostTaps> taps;  ///< the first `count` have values
  int count = 0;
};

/// The 32-bit values of an element's four channels: of floats and fractions the bits, of integers the number.
using Channels = std::array<std::uint32_t, 4>;

/// What a fetch at `point` reads. Coordinates of linear filtering and levels of detail are rounded to 8 bits behind the
/// point, as the hardware keeps them; one that is not a number counts as 0. The texture is not of linear memory.
TexelFootprint footprint(const Texture& texture, const TexturePoint& point);

/// The level of detail at `at` where coordinates change by `dx` and `dy` from a sample to those beside it: the
/// logarithm to base 2 of the longer of these steps, in elements of level 0 (as the specifications of OpenGL and Vulkan
/// have it).
float level_of_detail(const Texture& texture, const std::array<float, 3>& at, const std::array<float, 3>& dx,
                      const std::array<float, 3>& dy);

/// The four elements around `point` in level 0 of a 2-D texture, in the order in which a gather returns them:
/// counter-clockwise, from the one with the smaller x and the greater y.
TexelFootprint gather_footprint(const Texture& texture, const TexturePoint& point);

/// The address of element `index` of linear memory; nothing outside of it.
std::optional<std::uint64_t> linear_address(const Image& image, std::int32_t index);

/// An element as a fetch returns it. Channels the format has not are 0, the fourth 1.
Channels element_value(const Texture& texture, const std::byte* element);

/// What stands outside of the image.
Channels border_value(const Texture& texture);

/// The sum of float values by the footprint's weights, channel by channel.
Channels blend_values(const TexelFootprint& footprint, const std::array<Channels, kMostTaps>& values);

/// Whether fetches give 32-bit floats; else they give integers.
bool gives_floats(const Texture& texture);

/// Bytes [x, x + bytes) of row y of slice or layer z of an image, with `clamp` of the nearest place inside; nothing if
/// they are not all inside.
std::optional<std::uint64_t> surface_address(const Image& image, std::int32_t x, std::int32_t y, std::uint32_t z,
                                             std::uint32_t bytes, bool clamp);

}  // namespace vgpu
