#include "harness/vgpu/machine/texture_fetch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "harness/vgpu/machine/cube_map.h"

namespace vgpu {
namespace {

/// Weights of linear filtering have 8 bits behind the point.
constexpr std::int64_t kUnit = 256;

constexpr std::int64_t kOutside = std::numeric_limits<std::int64_t>::min();

/// Along one axis: the two neighbours (the element itself twice for the nearest one), as indices or kOutside.
struct AxisTaps {
  std::int64_t first = 0, second = 0;
  double weight = 0;  ///< of the second
};

/// A coordinate in elements. Wrapped and mirrored ones are brought into [0, extent] here, the others near it: far
/// enough outside to stay outside, near enough to be counted in integers.
double in_elements(float coordinate, std::uint32_t extent, bool normalized, AddressMode mode) {
  double at = std::isnan(coordinate) ? 0.0 : static_cast<double>(coordinate);
  const double length = extent;
  if (normalized && (mode == AddressMode::kWrap || mode == AddressMode::kMirror)) {
    if (std::isinf(at)) return 0;
    const double period = mode == AddressMode::kWrap ? 1 : 2;
    at -= period * std::floor(at / period);
    at = std::min(at, std::nextafter(period, 0.0));  // a tiny negative number has rounded up to the period
    if (mode == AddressMode::kMirror && at > 1) at = 2 - at;
    return at * length;
  }
  if (normalized) at *= length;
  return std::clamp(at, -2.0, length + 2);
}

std::int64_t element_index(std::int64_t index, std::int64_t extent, AddressMode mode) {
  if (index >= 0 && index < extent) return index;
  switch (mode) {
    case AddressMode::kWrap:
      return (index % extent + extent) % extent;
    case AddressMode::kMirror:
      return std::clamp<std::int64_t>(index < 0 ? -1 - index : 2 * extent - 1 - index, 0, extent - 1);
    case AddressMode::kClamp:
      return std::clamp<std::int64_t>(index, 0, extent - 1);
    case AddressMode::kSeam:
      return index;
    case AddressMode::kBorder:
      break;
  }
  return kOutside;
}

AxisTaps taps_along(float coordinate, std::uint32_t extent, bool normalized, AddressMode given_mode, bool between) {
  // Whole periods have no meaning for coordinates that count elements.
  const bool periodic = given_mode == AddressMode::kWrap || given_mode == AddressMode::kMirror;
  const AddressMode mode = !normalized && periodic ? AddressMode::kClamp : given_mode;
  const double at = in_elements(coordinate, extent, normalized, mode);
  if (!between) {
    const std::int64_t index = element_index(static_cast<std::int64_t>(std::floor(at)), extent, mode);
    return {index, index, 0};
  }
  const auto fixed = static_cast<std::int64_t>(std::nearbyint((at - 0.5) * kUnit));
  const std::int64_t fraction = (fixed % kUnit + kUnit) % kUnit, whole = (fixed - fraction) / kUnit;
  return {element_index(whole, extent, mode), element_index(whole + 1, extent, mode),
          static_cast<double>(fraction) / kUnit};
}

int axes_of(ImageShape shape) {
  switch (shape) {
    case ImageShape::k3D:
      return 3;
    case ImageShape::k2D:
    case ImageShape::k2DLayered:
    case ImageShape::kCube:
    case ImageShape::kCubeLayered:
      return 2;
    default:
      return 1;
  }
}

/// Along how many axes a fetch filters. For the hardware, a one-dimensional texture is a row of a two-dimensional one,
/// at its very edge: with a border there, every linear fetch is half border. (Read from an H200.)
int filtered_axes(const Texture& texture) {
  const bool has_border_beside = texture.image.shape == ImageShape::k1D && texture.modes[1] == AddressMode::kBorder;
  return has_border_beside && texture.linear ? 2 : axes_of(texture.image.shape);
}

bool is_cube(const Image& image) { return image.shape == ImageShape::kCube || image.shape == ImageShape::kCubeLayered; }

/// The three axes of a fetch and the layer it is from.
struct Axes {
  std::array<AxisTaps, 3> taps;
  std::uint64_t layer = 0;
};

/// In an image that is one of the texture's levels.
Axes axes_at(const Texture& texture, const Image& image, const TexturePoint& point, bool between) {
  std::array<float, 3> at = point.at;
  bool normalized = texture.normalized;
  Axes axes;
  const auto limited = [](std::uint32_t number, std::uint32_t count) { return std::min(number, count - 1); };
  if (is_cube(image)) {
    const CubePlace place = on_cube(point.at);
    at = {place.s, place.t, 0};
    normalized = true;
    const std::uint32_t cube = image.shape == ImageShape::kCube ? 0 : limited(point.layer, image.layers / 6);
    axes.layer = std::uint64_t{cube} * 6 + place.face;
  } else if (image.shape == ImageShape::k1DLayered || image.shape == ImageShape::k2DLayered) {
    axes.layer = limited(point.layer, image.layers);
  }
  const std::array<std::uint32_t, 3> extents{image.width, image.height, image.depth};
  for (int axis = 0; axis < filtered_axes(texture); ++axis) {
    const auto n = static_cast<std::size_t>(axis);
    axes.taps[n] = taps_along(at[n], std::max(extents[n], 1u), normalized, texture.modes[n], between);
  }
  return axes;
}

/// The neighbour whose bits say on which side it lies along each axis. Beyond a cube's corner there is none.
Tap tap_of(const Image& image, const Axes& axes, unsigned bits) {
  std::array<std::int64_t, 3> index{};
  Tap tap{0, true, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const AxisTaps& taps = axes.taps[axis];
    const bool second = (bits >> axis & 1) != 0;
    index[axis] = second ? taps.second : taps.first;
    tap.weight *= second ? taps.weight : 1 - taps.weight;
    if (index[axis] == kOutside) tap.inside = false;
  }
  std::uint64_t layer = axes.layer;
  if (tap.inside && is_cube(image)) {
    const std::uint32_t face = static_cast<std::uint32_t>(layer % 6);
    const std::optional<CubeElement> element = across_edges({face, index[0], index[1]}, image.width);
    tap.inside = element.has_value();
    if (element) {
      layer = layer - face + element->face;
      index = {element->x, element->y, 0};
    }
  }
  if (tap.inside)
    tap.address = image.address + static_cast<std::uint64_t>(index[0]) * image.format.bytes() +
                  static_cast<std::uint64_t>(index[1]) * image.row_bytes +
                  (static_cast<std::uint64_t>(index[2]) + layer) * image.slice_bytes;
  return tap;
}

/// Adds what a fetch reads of one level, whose part in the result is `share`.
void add_level(const Texture& texture, const Image& image, const TexturePoint& point, double share,
               TexelFootprint& footprint) {
  const Axes axes = axes_at(texture, image, point, texture.linear);
  const int count = texture.linear ? 1 << filtered_axes(texture) : 1;
  Tap* const taps = &footprint.taps[static_cast<std::size_t>(footprint.count)];
  double lost = 0;  // beyond a cube's corner: the three elements that meet there share it
  for (int n = 0; n < count; ++n) {
    taps[n] = tap_of(image, axes, static_cast<unsigned>(n));
    if (!taps[n].inside && texture.modes[0] == AddressMode::kSeam) std::swap(lost, taps[n].weight);
  }
  for (int n = 0; n < count; ++n) taps[n].weight = (taps[n].weight + (taps[n].inside ? lost / 3 : 0)) * share;
  footprint.count += count;
}

/// A level, and the weight of the one after it.
struct LevelTaps {
  std::size_t first = 0;
  double weight = 0;
};

LevelTaps levels_at(const Texture& texture, const std::optional<float>& level) {
  if (!level || texture.smaller.empty()) return {};
  double at = std::isnan(*level) ? 0.0 : static_cast<double>(*level);
  at = std::max(at + static_cast<double>(texture.level_bias), static_cast<double>(texture.least_level));
  at = std::min(at, static_cast<double>(texture.greatest_level));
  if (!(at > 0)) return {};
  const auto fixed =
      static_cast<std::int64_t>(std::nearbyint(std::min(at, static_cast<double>(texture.smaller.size())) * kUnit));
  if (!texture.linear_levels) return {static_cast<std::size_t>((fixed + kUnit / 2) / kUnit), 0};
  return {static_cast<std::size_t>(fixed / kUnit), static_cast<double>(fixed % kUnit) / kUnit};
}

template <class To, class From>
To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "only the type changes");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, mantissa = half & 0x3FFu;
  if (exponent == 31) return bits_as<float>(sign | 0x7F800000u | mantissa << 13);
  if (exponent == 0) {
    const float size = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -size : size;
  }
  return bits_as<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

/// An integer of `bytes` bytes, sign-extended if signed.
std::int64_t integer_at(const std::byte* at, ChannelKind kind, std::uint32_t bytes) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, bytes);
  if (kind == ChannelKind::kUnsigned) return bits;
  const std::uint32_t unused = 32 - 8 * bytes;
  return static_cast<std::int32_t>(bits << unused) >> unused;
}

std::uint32_t channel_value(const Texture& texture, const std::byte* at) {
  const ElementFormat& format = texture.image.format;
  if (format.kind == ChannelKind::kFloat) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, at, format.channel_bytes);
    return format.channel_bytes == 4 ? bits : bits_as<std::uint32_t>(half_to_float(static_cast<std::uint16_t>(bits)));
  }
  const std::int64_t value = integer_at(at, format.kind, format.channel_bytes);
  if (!gives_floats(texture)) return static_cast<std::uint32_t>(value);
  // The least signed number counts as -1, like the one above it.
  const std::uint32_t bits = 8 * format.channel_bytes - (format.kind == ChannelKind::kSigned ? 1 : 0);
  const double greatest = static_cast<double>((std::uint64_t{1} << bits) - 1);
  return bits_as<std::uint32_t>(static_cast<float>(std::max(static_cast<double>(value) / greatest, -1.0)));
}

/// IEC 61966-2-1.
float linear_from_srgb(float encoded) {
  const double c = encoded;
  return static_cast<float>(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
}

/// Channels that the format has not.
Channels no_channels(const Texture& texture) {
  return {0, 0, 0, gives_floats(texture) ? bits_as<std::uint32_t>(1.0F) : 1};
}

}  // namespace

bool gives_floats(const Texture& texture) {
  const ElementFormat& format = texture.image.format;
  return format.kind == ChannelKind::kFloat || (texture.fractions && format.channel_bytes < 4);
}

TexelFootprint footprint(const Texture& texture, const TexturePoint& point) {
  const LevelTaps levels = levels_at(texture, point.level);
  const auto level = [&](std::size_t n) -> const Image& { return n == 0 ? texture.image : texture.smaller[n - 1]; };
  TexelFootprint footprint;
  add_level(texture, level(levels.first), point, 1 - levels.weight, footprint);
  if (levels.weight != 0) add_level(texture, level(levels.first + 1), point, levels.weight, footprint);
  return footprint;
}

float level_of_detail(const Texture& texture, const std::array<float, 3>& at, const std::array<float, 3>& dx,
                      const std::array<float, 3>& dy) {
  const Image& image = texture.image;
  const std::array<std::uint32_t, 3> extents{image.width, image.height, image.depth};
  const auto length = [&](const std::array<float, 3>& change) {
    std::array<double, 3> step{change[0], change[1], change[2]};
    if (is_cube(image)) {
      const std::array<double, 2> on_face = along_cube(at, change);
      step = {on_face[0], on_face[1], 0};
    }
    double sum = 0;
    for (std::size_t n = 0; n < static_cast<std::size_t>(axes_of(image.shape)); ++n)
      sum += step[n] * extents[n] * (step[n] * extents[n]);
    return std::sqrt(sum);
  };
  return static_cast<float>(std::log2(std::max(length(dx), length(dy))));
}

TexelFootprint gather_footprint(const Texture& texture, const TexturePoint& point) {
  const Axes axes = axes_at(texture, texture.image, point, true);
  TexelFootprint footprint;
  for (const unsigned bits : {2u, 3u, 1u, 0u}) {
    Tap& tap = footprint.taps[static_cast<std::size_t>(footprint.count++)];
    tap = tap_of(texture.image, axes, bits);
    tap.weight = 1;
  }
  return footprint;
}

std::optional<std::uint64_t> linear_address(const Image& image, std::int32_t index) {
  if (index < 0 || static_cast<std::uint32_t>(index) >= image.width) return std::nullopt;
  return image.address + static_cast<std::uint64_t>(index) * image.format.bytes();
}

Channels element_value(const Texture& texture, const std::byte* element) {
  const ElementFormat& format = texture.image.format;
  Channels channels = no_channels(texture);
  for (std::uint32_t c = 0; c < format.channels; ++c)
    channels[c] = channel_value(texture, element + c * format.channel_bytes);
  for (std::uint32_t c = 0; texture.srgb && c < std::min(format.channels, 3u); ++c)
    channels[c] = bits_as<std::uint32_t>(linear_from_srgb(bits_as<float>(channels[c])));
  return channels;
}

Channels border_value(const Texture& texture) {
  Channels channels = no_channels(texture);
  for (std::uint32_t c = 0; c < texture.image.format.channels; ++c) channels[c] = texture.border[c];
  return channels;
}

Channels blend_values(const TexelFootprint& footprint, const std::array<Channels, kMostTaps>& values) {
  Channels blended{};
  for (std::size_t c = 0; c < blended.size(); ++c) {
    double sum = 0;
    for (std::size_t n = 0; n < static_cast<std::size_t>(footprint.count); ++n)
      if (footprint.taps[n].weight != 0) sum += footprint.taps[n].weight * bits_as<float>(values[n][c]);
    blended[c] = bits_as<std::uint32_t>(static_cast<float>(sum));
  }
  return blended;
}

std::optional<std::uint64_t> surface_address(const Image& image, std::int32_t x, std::int32_t y, std::uint32_t z,
                                             std::uint32_t bytes, bool clamp) {
  const std::int64_t row = std::int64_t{image.width} * image.format.bytes();
  const std::uint32_t slices = image.shape == ImageShape::k3D ? image.depth : image.layers;
  std::int64_t at = x, line = y,
               slice = image.shape == ImageShape::k3D ? static_cast<std::int32_t>(z) : std::int64_t{z};
  if (bytes > row) return std::nullopt;
  if (clamp) {
    at = std::clamp<std::int64_t>(at, 0, (row - bytes) / bytes * bytes);
    line = std::clamp<std::int64_t>(line, 0, image.height - 1);
    slice = std::clamp<std::int64_t>(slice, 0, slices - 1);
  }
  if (at < 0 || at > row - bytes || line < 0 || line >= image.height || slice < 0 || slice >= slices)
    return std::nullopt;
  return image.address + static_cast<std::uint64_t>(at) + static_cast<std::uint64_t>(line) * image.row_bytes +
         static_cast<std::uint64_t>(slice) * image.slice_bytes;
}

}  // namespace vgpu
