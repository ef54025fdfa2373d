// Texture coordinates become the right elements and weights, and elements the right values: held against the formulas
// of the CUDA C++ Programming Guide's appendix on texture fetching, carried out in double precision.
#include "harness/vgpu/machine/texture_fetch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace vgpu {
namespace {

using U32 = std::uint32_t;
using I64 = std::int64_t;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kBorder = 1000;

float float_of(U32 bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
U32 bits_of(float value) {
  U32 bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Floats that lie in a vector of this process: addresses count from its begin.
struct FloatTexture {
  Texture texture;
  std::vector<float> values;

  FloatTexture(ImageShape shape, U32 width, U32 height = 1, U32 depth = 1, U32 layers = 1) {
    Image& image = texture.image;
    image.shape = shape;
    image.width = width;
    image.height = height;
    image.depth = depth;
    image.layers = layers;
    image.row_bytes = std::uint64_t{4} * width;
    image.slice_bytes = image.row_bytes * height;
    for (U32 i = 0; i < width * height * depth * layers; ++i) values.push_back(static_cast<float>(i * i % 97 + 3 * i));
    texture.border[0] = bits_of(kBorder);
  }

  float at(I64 x, I64 y = 0, I64 z = 0) const {
    return values[static_cast<std::size_t>((z * texture.image.height + y) * texture.image.width + x)];
  }

  Channels value_of(const Tap& tap) const {
    if (!tap.inside) return border_value(texture);
    return element_value(texture, reinterpret_cast<const std::byte*>(values.data()) + tap.address);
  }

  float fetch(float x, float y = 0, float z = 0, U32 layer = 0) const {
    const TexelFootprint found = footprint(texture, {{x, y, z}, layer});
    std::array<Channels, kMostTaps> taps{};
    for (std::size_t n = 0; n < static_cast<std::size_t>(found.count); ++n) taps[n] = value_of(found.taps[n]);
    return float_of(found.count == 1 ? taps[0][0] : blend_values(found, taps)[0]);
  }
};

/// The index that an addressing mode makes of any other, step by step; -1 for the border.
I64 inside(I64 index, I64 extent, AddressMode mode) {
  while (index < 0 || index >= extent) {
    if (mode == AddressMode::kBorder) return -1;
    if (mode == AddressMode::kClamp) return std::clamp<I64>(index, 0, extent - 1);
    if (mode == AddressMode::kWrap) index += index < 0 ? extent : -extent;
    if (mode == AddressMode::kMirror) index = index < 0 ? -1 - index : 2 * extent - 1 - index;
  }
  return index;
}

struct Blend {
  I64 first, second;
  double weight;
};

/// i and alpha of the guide: xB = x - 0.5, i = floor(xB), alpha = frac(xB) with 8 bits behind the point.
Blend guide_blend(double x, I64 extent, AddressMode mode, bool linear) {
  if (!linear) {
    const I64 index = inside(static_cast<I64>(std::floor(x)), extent, mode);
    return {index, index, 0};
  }
  const double rounded = std::nearbyint((x - 0.5) * 256) / 256;
  const auto i = static_cast<I64>(std::floor(rounded));
  return {inside(i, extent, mode), inside(i + 1, extent, mode), rounded - std::floor(rounded)};
}

constexpr AddressMode kModes[] = {AddressMode::kWrap, AddressMode::kClamp, AddressMode::kMirror, AddressMode::kBorder};

/// From below -2 to above 2, with fractions that 8 bits hold, that they do not, and that lie just between.
std::vector<float> coordinates() {
  std::vector<float> all{-0.0F, 1e-30F, -1e-30F, 0.3F, 0.7F, 1.0F / 3, -1.0F / 3, 1.9999F, 0.9999999F, 1.0000001F};
  for (int i = -140; i <= 140; ++i) all.push_back(static_cast<float>(i) / 64);
  for (int i = 1; i < 4096; i += 97) all.push_back(static_cast<float>(i) / 2048);
  return all;
}

TEST(TextureFetch, FollowsTheGuideInOneDimension) {
  for (const U32 extent : {1u, 2u, 3u, 5u, 8u}) {
    FloatTexture row(ImageShape::k1D, extent);
    for (const bool linear : {false, true}) {
      for (const bool normalized : {false, true}) {
        for (const AddressMode mode : kModes) {
          row.texture.linear = linear;
          row.texture.normalized = normalized;
          row.texture.modes[0] = mode;
          row.texture.modes[1] = AddressMode::kClamp;
          const bool periodic = mode == AddressMode::kWrap || mode == AddressMode::kMirror;
          const AddressMode meant = periodic && !normalized ? AddressMode::kClamp : mode;
          for (const float given : coordinates()) {
            const float x = normalized ? given : given * static_cast<float>(extent);
            double in_elements = normalized ? static_cast<double>(x) * extent : static_cast<double>(x);
            if (meant == AddressMode::kMirror && std::fmod(std::floor(x), 2) != 0)  // 1 - frac(x) for odd floor(x)
              in_elements = (1 - (static_cast<double>(x) - std::floor(static_cast<double>(x)))) * extent;
            const Blend blend = guide_blend(in_elements, extent, meant, linear);
            const double first = blend.first < 0 ? kBorder : row.at(blend.first);
            const double second = blend.second < 0 ? kBorder : row.at(blend.second);
            EXPECT_EQ(row.fetch(x), static_cast<float>((1 - blend.weight) * first + blend.weight * second))
                << extent << " elements, x " << x << (linear ? ", linear" : "") << (normalized ? ", normalized" : "")
                << ", mode " << static_cast<int>(mode);
          }
        }
      }
    }
  }
}

TEST(TextureFetch, ARowIsBlendedWithTheBorderBesideIt) {
  FloatTexture row(ImageShape::k1D, 4);
  row.texture.modes = {AddressMode::kBorder, AddressMode::kBorder, AddressMode::kBorder};
  EXPECT_EQ(row.fetch(1.5F), static_cast<float>(row.at(1))) << "the nearest element is one of the row";
  row.texture.linear = true;
  EXPECT_EQ(row.fetch(1.5F), static_cast<float>((row.at(1) + kBorder) / 2));
  EXPECT_EQ(row.fetch(9.0F), kBorder);
}

TEST(TextureFetch, FollowsTheGuideInTwoAndThreeDimensions) {
  FloatTexture plane(ImageShape::k2D, 4, 3), space(ImageShape::k3D, 3, 2, 4);
  for (FloatTexture* const image : {&plane, &space}) {
    const Image& shape = image->texture.image;
    image->texture.linear = true;
    image->texture.modes = {AddressMode::kClamp, AddressMode::kBorder, AddressMode::kClamp};
    for (const float x : {-1.0F, 0.5F, 1.25F, 2.703F, 9.0F})
      for (const float y : {-0.25F, 0.5F, 1.0F, 1.999F, 2.75F})
        for (const float z : {0.5F, 0.0F, 1.625F, 3.99F}) {
          const Blend along_x = guide_blend(x, shape.width, AddressMode::kClamp, true);
          const Blend along_y = guide_blend(y, shape.height, AddressMode::kBorder, true);
          const Blend along_z =
              image == &space ? guide_blend(z, shape.depth, AddressMode::kClamp, true) : Blend{0, 0, 0};
          const auto row = [&](I64 j, I64 k) {
            if (j < 0) return static_cast<double>(kBorder);
            return (1 - along_x.weight) * image->at(along_x.first, j, k) +
                   along_x.weight * image->at(along_x.second, j, k);
          };
          const auto slice = [&](I64 k) {
            return (1 - along_y.weight) * row(along_y.first, k) + along_y.weight * row(along_y.second, k);
          };
          const double expected = (1 - along_z.weight) * slice(along_z.first) + along_z.weight * slice(along_z.second);
          EXPECT_EQ(image->fetch(x, y, z), static_cast<float>(expected)) << x << " " << y << " " << z;
        }
  }
}

TEST(TextureFetch, WeightsHaveEightBitsBehindThePoint) {
  FloatTexture row(ImageShape::k1D, 2);
  row.values = {0, 256};
  row.texture.linear = true;
  EXPECT_EQ(row.fetch(0.5F), 0);
  EXPECT_EQ(row.fetch(0.5F + 1.0F / 256), 1);
  EXPECT_EQ(row.fetch(0.5F + 1.0F / 1024), 0);
  EXPECT_EQ(row.fetch(0.5F + 3.0F / 1024), 1);
  EXPECT_EQ(row.fetch(1.4999F), 256);
  EXPECT_EQ(row.fetch(1.0F), 128);
}

TEST(TextureFetch, NeighboursWithoutWeightHaveNoPart) {
  FloatTexture row(ImageShape::k1D, 3);
  row.values = {kInfinity, 7, kNan};
  row.texture.linear = true;
  EXPECT_EQ(row.fetch(1.5F), 7);
  EXPECT_EQ(row.fetch(1.0F), kInfinity);
  EXPECT_TRUE(std::isnan(row.fetch(2.0F)));
}

TEST(TextureFetch, CoordinatesThatAreNoNumbersOrHugeStayInside) {
  FloatTexture row(ImageShape::k1D, 4);
  for (const bool linear : {false, true}) {
    row.texture.linear = linear;
    row.texture.normalized = false;
    row.texture.modes[0] = AddressMode::kClamp;
    EXPECT_EQ(row.fetch(kInfinity), row.at(3));
    EXPECT_EQ(row.fetch(-kInfinity), row.at(0));
    EXPECT_EQ(row.fetch(3e38F), row.at(3));
    EXPECT_EQ(row.fetch(-3e38F), row.at(0));
    EXPECT_EQ(row.fetch(kNan), row.fetch(0));
    row.texture.modes[0] = AddressMode::kBorder;
    for (const float x : {kInfinity, -kInfinity, 3e38F, -3e38F, 5.0F, -1.0F}) EXPECT_EQ(row.fetch(x), kBorder);
    row.texture.normalized = true;
    for (const AddressMode mode : {AddressMode::kWrap, AddressMode::kMirror}) {
      row.texture.modes[0] = mode;
      for (const float x : {kInfinity, -kInfinity, kNan}) EXPECT_EQ(row.fetch(x), row.fetch(0));
      EXPECT_EQ(row.fetch(16777216.0F), row.fetch(0));
      EXPECT_EQ(row.fetch(-16777214.0F), row.fetch(0));
    }
  }
}

TEST(TextureFetch, LayersAreChosenByNumberAndTheLastIsTheGreatest) {
  FloatTexture rows(ImageShape::k1DLayered, 4, 1, 1, 3), planes(ImageShape::k2DLayered, 2, 2, 1, 3);
  for (const bool linear : {false, true}) {
    rows.texture.linear = planes.texture.linear = linear;
    for (const U32 layer : {0u, 1u, 2u, 3u, 0xFFFFFFFFu}) {
      const U32 expected = std::min(layer, 2u);
      EXPECT_EQ(rows.fetch(1.5F, 0, 0, layer), rows.values[4 * expected + 1]);
      EXPECT_EQ(planes.fetch(0.5F, 1.5F, 0, layer), planes.values[4 * expected + 2]);
    }
  }
}

TEST(TextureFetch, CubesAreReadByDirection) {
  FloatTexture cubes(ImageShape::kCubeLayered, 2, 2, 1, 12);
  struct Row {
    float x, y, z;
    U32 face, element;
  };
  // Faces in the order +x, -x, +y, -y, +z, -z; elements of the 2 by 2 face row by row.
  const Row rows[] = {
      {1, 0.5F, 0.5F, 0, 0},   {1, 0.5F, -0.5F, 0, 1}, {1, -0.5F, 0.5F, 0, 2},  {-1, 0.5F, 0.5F, 1, 1},
      {-4, 2, -2, 1, 0},       {0.5F, 1, 0.5F, 2, 3},  {-0.5F, 1, -0.5F, 2, 0}, {0.5F, -1, 0.5F, 3, 1},
      {-0.5F, -1, 0.5F, 3, 0}, {0.5F, 0.5F, 1, 4, 1},  {-0.5F, -0.5F, 1, 4, 2}, {0.5F, 0.5F, -1, 5, 0},
  };
  for (const Row& row : rows)
    for (const U32 cube : {0u, 1u, 9u})
      EXPECT_EQ(cubes.fetch(row.x, row.y, row.z, cube),
                cubes.values[(std::min(cube, 1u) * 6 + row.face) * 4 + row.element])
          << row.x << " " << row.y << " " << row.z;
  // Between the four elements of a face.
  cubes.texture.linear = true;
  EXPECT_EQ(cubes.fetch(3, 0, 0), (cubes.values[0] + cubes.values[1] + cubes.values[2] + cubes.values[3]) / 4);
}

TEST(TextureFetch, AGatherGoesCounterClockwiseFromTheGreaterY) {
  FloatTexture plane(ImageShape::k2D, 4, 4);
  const auto gathered = [&](float x, float y) {
    const TexelFootprint found = gather_footprint(plane.texture, {{x, y, 0}, 0});
    std::vector<float> values;
    for (std::size_t n = 0; n < static_cast<std::size_t>(found.count); ++n)
      values.push_back(float_of(plane.value_of(found.taps[n])[0]));
    return values;
  };
  EXPECT_EQ(gathered(2, 2), (std::vector<float>{plane.at(1, 2), plane.at(2, 2), plane.at(2, 1), plane.at(1, 1)}));
  EXPECT_EQ(gathered(1.75F, 3.25F),
            (std::vector<float>{plane.at(1, 3), plane.at(2, 3), plane.at(2, 2), plane.at(1, 2)}));
  EXPECT_EQ(gathered(0, 9), (std::vector<float>{plane.at(0, 3), plane.at(0, 3), plane.at(0, 3), plane.at(0, 3)}));
}

struct FormatRow {
  ChannelKind kind;
  U32 channel_bytes;
  bool fractions;
  U32 stored;
  float as_float;  ///< where floats come of it
  U32 as_integer;  ///< elsewhere
};

TEST(TextureFetch, ElementsOfEveryFormat) {
  constexpr ChannelKind kSigned = ChannelKind::kSigned, kUnsigned = ChannelKind::kUnsigned,
                        kFloat = ChannelKind::kFloat;
  const FormatRow rows[] = {
      {kUnsigned, 1, false, 0xFF, 0, 255},
      {kSigned, 1, false, 0xFF, 0, 0xFFFFFFFF},
      {kSigned, 1, false, 0x80, 0, 0xFFFFFF80},
      {kUnsigned, 2, false, 0xFFFE, 0, 65534},
      {kSigned, 2, false, 0x8000, 0, 0xFFFF8000},
      {kUnsigned, 4, false, 0xFFFFFFFF, 0, 0xFFFFFFFF},
      {kSigned, 4, false, 0x80000000, 0, 0x80000000},
      {kUnsigned, 1, true, 0xFF, 1, 0},
      {kUnsigned, 1, true, 51, 0.2F, 0},
      {kUnsigned, 1, true, 0, 0, 0},
      {kSigned, 1, true, 127, 1, 0},
      {kSigned, 1, true, 0x81, -1, 0},
      {kSigned, 1, true, 0x80, -1, 0},
      {kUnsigned, 2, true, 0xFFFF, 1, 0},
      {kUnsigned, 2, true, 13107, 0.2F, 0},
      {kSigned, 2, true, 0x8000, -1, 0},
      {kSigned, 2, true, 0x8001, -1, 0},
      {kSigned, 2, true, 0x7FFF, 1, 0},
      {kFloat, 4, false, 0x40490FDB, 3.14159274F, 0},
      {kFloat, 4, true, 0xC0000000, -2, 0},
      {kFloat, 2, false, 0x3C00, 1, 0},
      {kFloat, 2, false, 0xC100, -2.5F, 0},
      {kFloat, 2, false, 0x7BFF, 65504, 0},
      {kFloat, 2, false, 0x0001, 0x1p-24F, 0},
      {kFloat, 2, false, 0x83FF, -0x3FFp-24F, 0},
      {kFloat, 2, false, 0x7C00, kInfinity, 0},
      {kFloat, 2, false, 0xFC00, -kInfinity, 0},
      {kFloat, 2, false, 0x8000, -0.0F, 0},
  };
  for (const FormatRow& row : rows)
    for (const U32 channels : {1u, 2u, 4u}) {
      Texture texture;
      texture.image.format = {row.kind, channels, row.channel_bytes};
      texture.fractions = row.fractions;
      std::byte element[16] = {};
      for (U32 c = 0; c < channels; ++c) std::memcpy(element + c * row.channel_bytes, &row.stored, row.channel_bytes);
      const Channels got = element_value(texture, element);
      const bool floats = row.kind == ChannelKind::kFloat || row.fractions;
      ASSERT_EQ(gives_floats(texture), floats);
      const U32 expected = floats ? bits_of(row.as_float) : row.as_integer, one = floats ? bits_of(1) : 1;
      for (U32 c = 0; c < 4; ++c)
        EXPECT_EQ(got[c], c < channels ? expected
                          : c == 3     ? one
                                       : 0)
            << std::hex << row.stored << " of " << row.channel_bytes << " bytes, channel " << c << " of " << channels;
    }
}

TEST(LinearMemory, HasElementsByWholeNumbersAndNothingElse) {
  Image image;
  image.address = 4096;
  image.shape = ImageShape::kLinear;
  image.format = {ChannelKind::kFloat, 2, 4};
  image.width = 10;
  EXPECT_EQ(linear_address(image, 0), 4096u);
  EXPECT_EQ(linear_address(image, 9), 4096u + 72);
  for (const std::int32_t index :
       {-1, 10, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()})
    EXPECT_EQ(linear_address(image, index), std::nullopt);
}

TEST(Surface, PlacesInsideOutsideAndTheNearestOnes) {
  Image image;
  image.address = 4096;
  image.shape = ImageShape::k2DLayered;
  image.format = {ChannelKind::kUnsigned, 1, 2};
  image.width = 6;
  image.height = 3;
  image.layers = 2;
  image.row_bytes = 16;
  image.slice_bytes = 48;
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min(),
                         kMost = std::numeric_limits<std::int32_t>::max();
  struct Row {
    std::int32_t x, y;
    U32 layer, bytes;
    std::optional<std::uint64_t> place;  ///< beyond the address
    std::uint64_t nearest;
  };
  const Row rows[] = {
      {0, 0, 0, 2, 0, 0},
      {10, 2, 1, 2, 48 + 32 + 10, 48 + 32 + 10},
      {12, 0, 0, 2, std::nullopt, 10},
      {-2, 0, 0, 2, std::nullopt, 0},
      {8, 0, 0, 4, 8, 8},
      {12, 0, 0, 4, std::nullopt, 8},
      {8, 0, 0, 8, std::nullopt, 0},
      {4, 3, 0, 2, std::nullopt, 32 + 4},
      {4, -1, 0, 2, std::nullopt, 4},
      {4, 1, 2, 2, std::nullopt, 48 + 16 + 4},
      {4, 1, 0xFFFFFFFF, 2, std::nullopt, 48 + 16 + 4},
      {kLeast, kMost, 0, 2, std::nullopt, 32},
      {kMost - 1, kLeast, 0, 2, std::nullopt, 10},
  };
  for (const Row& row : rows) {
    const auto beyond = [&](bool clamp) {
      const auto place = surface_address(image, row.x, row.y, row.layer, row.bytes, clamp);
      return place ? std::optional(*place - image.address) : std::nullopt;
    };
    EXPECT_EQ(beyond(false), row.place) << row.x << " " << row.y << " " << row.layer;
    EXPECT_EQ(beyond(true), row.nearest) << row.x << " " << row.y << " " << row.layer;
  }
  EXPECT_EQ(surface_address(image, 0, 0, 0, 16, true), std::nullopt);
  image.shape = ImageShape::k3D;  // slices count from below zero, too
  image.depth = 2;
  image.layers = 1;
  EXPECT_EQ(surface_address(image, 0, 0, 1, 2, false), 4096u + 48);
  EXPECT_EQ(surface_address(image, 0, 0, 0xFFFFFFFF, 2, false), std::nullopt);
  EXPECT_EQ(surface_address(image, 0, 0, 0xFFFFFFFF, 2, true), 4096u);
}

}  // namespace
}  // namespace vgpu
