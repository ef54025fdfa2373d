// Levels of detail, conversion from sRGB and the seams of cubes: by instructions, and in the arithmetic of fetches.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "harness/vgpu/machine/cube_map.h"
#include "harness/vgpu/machine/testing/image_device.h"
#include "harness/vgpu/machine/texture_fetch.h"

namespace vgpu::test {
namespace {

constexpr ElementFormat kOneFloat{ChannelKind::kFloat, 1, 4};
constexpr std::uint32_t kLevels = 4, kExtent = 8;

/// Levels of 8, 4, 2 and 1 elements along every axis that have one value each, and one more a layer.
Texture mipmapped(ImageDevice& device, ImageShape shape, bool has_rows, std::uint32_t slices) {
  Texture texture;
  for (std::uint32_t level = 0; level < kLevels; ++level) {
    const std::uint32_t extent = kExtent >> level;
    const bool is_deep = shape == ImageShape::k3D;
    const Image image = device.image<float>(
        shape, kOneFloat, extent, has_rows ? extent : 1, is_deep ? extent : slices,
        [&](auto, auto, auto z) { return static_cast<float>(100 * (level + 1) + (is_deep ? 0 : z)); });
    if (level == 0)
      texture.image = image;
    else
      texture.smaller.push_back(image);
  }
  texture.normalized = true;
  texture.greatest_level = 99;
  return texture;
}

TEST(Mipmap, EveryGeometryTakesALevelOrTheOneThatItsGradientsGive) {
  struct Form {
    const char* geometry;
    const char* coordinates;
    const char* gradient;  ///< 2^(thread % 4) elements of level 0 long
    ImageShape shape;
    bool has_rows;
    std::uint32_t slices, slice;
  };
  const Form forms[] = {
      {"1d", "{%f10}", "{%f14}", ImageShape::k1D, false, 1, 0},
      {"1d", "{%f10}", "%f14", ImageShape::k1D, false, 1, 0},
      {"2d", "{%f10, %f10}", "{%f15, %f14}", ImageShape::k2D, true, 1, 0},
      {"3d", "{%f10, %f10, %f10, %f10}", "{%f15, %f15, %f14, %f14}", ImageShape::k3D, true, 1, 0},
      {"a1d", "{%r10, %f10}", "{%f14}", ImageShape::k1DLayered, false, 3, 1},
      {"a2d", "{%r10, %f10, %f10, %f10}", "{%f14, %f15}", ImageShape::k2DLayered, true, 3, 1},
      {"cube", "{%f11, %f10, %f10, %f10}", "{%f15, %f15, %f16, %f16}", ImageShape::kCube, true, 6, 0},
      {"acube", "{%r10, %f11, %f10, %f10}", "{%f15, %f16, %f15, %f15}", ImageShape::kCubeLayered, true, 12, 6},
  };
  const std::string place =
      "mov.f32 %f10, 0f3E800000;\nmov.f32 %f11, 0f3F800000;\nmov.u32 %r10, 1;\nmov.f32 %f15, 0f00000000;\nand.b32 "
      "%r11, "
      "%r0, 3;\ncvt.rn.f32.u32 %f13, %r11;\nshl.b32 %r12, 1, %r11;\ncvt.rn.f32.u32 %f14, %r12;\nmul.f32 %f14, %f14, "
      "0f3E000000;\nadd.f32 %f16, %f14, %f14;\n";
  for (const Form& form : forms) {
    ImageDevice device;
    const std::uint64_t handle = device.images.add_texture(mipmapped(device, form.shape, form.has_rows, form.slices));
    const auto fetch = [&](const std::string& mode, int to, const std::string& detail) {
      return "tex" + mode + "." + form.geometry + ".v4.f32.f32 {%f" + std::to_string(to) +
             ", %f20, %f20, %f20}, [%rd1, " + form.coordinates + "]" + detail + ";\n";
    };
    const std::string gradient = form.gradient, none = gradient[0] != '{'      ? "%f15"
                                                       : gradient.size() == 6  ? "{%f15}"
                                                       : gradient.size() == 12 ? "{%f15, %f15}"
                                                                               : "{%f15, %f15, %f15, %f15}";
    device.run(place + fetch("", 1, "") + fetch(".base", 2, "") + fetch(".level", 3, ", %f13") +
                   fetch(".grad", 4, ", " + gradient + ", " + none) + fetch(".grad", 5, ", " + none + ", " + gradient) +
                   "st.global.v4.f32 [%rd0], {%f1, %f2, %f3, %f4};\nst.global.f32 [%rd0+16], %f5;",
               {handle});
    for (std::uint32_t t = 0; t < ImageDevice::kThreads; ++t)
      for (std::uint32_t n = 0; n < 5; ++n)
        ASSERT_EQ(device.result<float>(t, n), static_cast<float>(100 * ((n < 2 ? 0 : t % 4) + 1) + form.slice))
            << form.geometry << ", thread " << t << ", fetch " << n;
  }
}

TEST(Mipmap, TwoLevelsAreReadAndBlended) {
  ImageDevice device;
  Texture texture = mipmapped(device, ImageShape::k1D, false, 1);
  texture.linear_levels = true;
  const std::uint64_t handle = device.images.add_texture(texture);
  // Thread t at level (31 - t) / 16: only the last one and the sixteenth are at a level itself.
  const std::string body =
      "fma.rn.f32 %f13, %f0, 0fBD800000, 0f3FF80000;\ntex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f13}], "
      "%f13;\nst.global.v4.f32 [%rd0], {%f1, %f2, %f3, %f4};";
  device.run(body, {handle});
  for (std::uint32_t t = 0; t < ImageDevice::kThreads; ++t) {
    EXPECT_EQ(device.result<float>(t), 100 + static_cast<float>(31 - t) * 6.25F);
    EXPECT_EQ(device.result<float>(t, 3), 1);
  }
  SeenAccesses observer;
  device.launch(body, {handle}, &observer);
  ASSERT_EQ(observer.seen.size(), 3u);  // and the store
  EXPECT_EQ(observer.seen[0].lanes, 0xFFFFFFFFu);
  EXPECT_EQ(observer.seen[1].lanes, 0x7FFF7FFFu);
}

// --- arithmetic ---

TEST(Mipmap, LevelsAreBiasedThenLimitedThenRounded) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  struct Row {
    bool linear;
    float bias, least, greatest, level, expected;
  };
  const Row rows[] = {
      {false, 0, 0, 9, 0.25F, 0},
      {false, 0, 0, 9, 0.75F, 1},
      {false, 0, 0, 9, 2.25F, 2},
      {false, 0, 0, 9, 100, 3},
      {false, 0, 0, 9, -1, 0},
      {false, 0, 0, 9, kNone, 0},
      {false, 0, 0, 9, kInfinity, 3},
      {false, 0, 0, 9, -kInfinity, 0},
      {false, 0, 0, 0, 2, 0},
      {true, 0, 0, 9, 1.25F, 1.25F},
      {true, 0, 0, 9, 100, 3},
      {true, 0.5F, 0, 9, 1.25F, 1.75F},
      {true, -2, 0, 9, 1.25F, 0},
      {true, 3, 0, 1.5F, 0, 1.5F},
      {true, -3, 1.25F, 9, 2, 1.25F},
      {true, 0, 1.5F, 9, 0, 1.5F},
      {true, 0, 0, 9, 1 + 1.0F / 1024, 1},
      {true, 0, 0, 9, 1 + 3.0F / 1024, 1 + 1.0F / 256},
      {true, 0, 0, 2.5F, 3, 2.5F},
      {true, 1, 0, 9, kNone, 1},
  };
  Texture texture;
  texture.normalized = true;
  texture.image.width = kExtent;
  for (std::uint32_t level = 1; level < kLevels; ++level) {
    texture.smaller.push_back(texture.image);
    texture.smaller.back().width = kExtent >> level;
    texture.smaller.back().address = 1000 * level;
  }
  const auto mean_level = [&](const TexturePoint& point) {
    const TexelFootprint found = footprint(texture, point);
    double sum = 0;
    for (int n = 0; n < found.count; ++n) {
      const Tap& tap = found.taps[static_cast<std::size_t>(n)];
      const std::uint64_t level = tap.address / 1000;
      EXPECT_EQ(tap.address % 1000, ((kExtent >> level) / 2) * 4) << "half-way along every level";
      sum += tap.weight * static_cast<double>(level);
    }
    return sum;
  };
  for (const Row& row : rows) {
    texture.linear_levels = row.linear;
    texture.level_bias = row.bias;
    texture.least_level = row.least;
    texture.greatest_level = row.greatest;
    EXPECT_EQ(mean_level({{0.5F, 0, 0}, 0, row.level}), row.expected) << row.level << " biased by " << row.bias;
    EXPECT_EQ(mean_level({{0.5F, 0, 0}, 0}), 0);
  }
}

TEST(Mipmap, TheLongerStepGivesTheLevel) {
  Texture texture;
  texture.image.shape = ImageShape::k2D;
  texture.image.width = 16;
  texture.image.height = 4;
  const auto level = [&](float dx, float dy, float ex, float ey) {
    return level_of_detail(texture, {}, {dx, dy, 7}, {ex, ey, 7});
  };
  EXPECT_EQ(level(0.25F, 0, 0, 0), 2);
  EXPECT_EQ(level(0, 0.25F, 0, -0.5F), 1);
  EXPECT_EQ(level(3.0F / 16, 1, 0.25F, 0), std::log2(5.0F));
  EXPECT_EQ(level(0, 0, 0, 0), -std::numeric_limits<float>::infinity());
  // On a cube: against a step of a thousandth.
  for (const std::array<float, 3>& at : {std::array<float, 3>{2, 0.5F, -1}, {-0.5F, 3, 1}, {0.25F, -0.5F, -4}}) {
    const std::array<float, 3> change{1, -2, 0.5F};
    const CubePlace before = on_cube(at), after = on_cube({at[0] + 1e-3F, at[1] - 2e-3F, at[2] + 5e-4F});
    const std::array<double, 2> along = along_cube(at, change);
    EXPECT_NEAR(along[0], static_cast<double>(after.s - before.s) * 1000, 2e-3);
    EXPECT_NEAR(along[1], static_cast<double>(after.t - before.t) * 1000, 2e-3);
  }
}

TEST(Mipmap, OnlyColoursAreDecodedFromSrgb) {
  Texture texture;
  texture.fractions = texture.srgb = true;
  const auto value = [&](std::uint32_t channels, int byte) {
    texture.image.format = {ChannelKind::kUnsigned, channels, 1};
    const std::byte element[4] = {std::byte(byte), std::byte(byte), std::byte(byte), std::byte(byte)};
    std::array<float, 4> floats{};
    const Channels bits = element_value(texture, element);
    std::memcpy(floats.data(), bits.data(), sizeof floats);
    return floats;
  };
  struct Row {
    int byte;
    float linear;
  };
  // Values of the standard: the straight part up to 10, the power beyond.
  for (const Row& row : {Row{0, 0},
                         {1, 3.03527e-4F},
                         {10, 3.03527e-3F},
                         {11, 3.34654e-3F},
                         {128, 0.2158605F},
                         {188, 0.5028865F},
                         {255, 1}}) {
    for (const float channel : {value(1, row.byte)[0], value(2, row.byte)[1], value(4, row.byte)[2]})
      EXPECT_NEAR(channel, row.linear, row.linear * 1e-5F) << row.byte;
    EXPECT_EQ(value(4, row.byte)[3], static_cast<float>(row.byte / 255.0));
  }
}

TEST(Mipmap, FacesOfACubeMeetAtTheirEdges) {
  constexpr std::int64_t kSide = 5;
  EXPECT_FALSE(across_edges({0, -1, kSide}, kSide));
  const auto right = across_edges({0, kSide, 3}, kSide);  // of +x is -z
  ASSERT_TRUE(right);
  EXPECT_EQ(right->face, 5u);
  EXPECT_EQ(right->x, 0);
  EXPECT_EQ(right->y, 3);
  for (const std::int64_t side : {kSide, std::int64_t{16384}})  // the largest there is
    for (std::uint32_t face = 0; face < 6; ++face)
      for (std::int64_t n = 0; n < side; ++n)
        for (const CubeElement& beside : {CubeElement{face, -1, n}, {face, side, n}, {face, n, -1}, {face, n, side}}) {
          const auto next = across_edges(beside, side);
          ASSERT_TRUE(next && next->face / 2 != face / 2);
          // From there, one of the four ways leads back.
          int back = 0;
          for (const auto& [dx, dy] : {std::array<int, 2>{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
            const auto home = across_edges({next->face, next->x + dx, next->y + dy}, side);
            back += home && home->face == face && std::abs(home->x - beside.x) + std::abs(home->y - beside.y) == 1;
          }
          EXPECT_EQ(back, 1) << face << " " << beside.x << " " << beside.y;
        }
}

TEST(Mipmap, SeamlessFilteringBlendsFaces) {
  Texture texture;
  texture.image.shape = ImageShape::kCubeLayered;
  texture.image.width = texture.image.height = 2;
  texture.image.layers = 12;
  texture.image.row_bytes = 8;
  texture.image.slice_bytes = 16;
  texture.linear = true;
  texture.modes.fill(AddressMode::kSeam);
  const auto weights = [&](const std::array<float, 3>& direction) {
    std::vector<double> of_face(12, 0);
    const TexelFootprint found = footprint(texture, {direction, 1});
    for (int n = 0; n < found.count; ++n) {
      const Tap& tap = found.taps[static_cast<std::size_t>(n)];
      if (tap.weight != 0) of_face[tap.address / 16] += tap.weight;
    }
    return of_face;
  };
  std::vector<double> expected(12, 0);
  expected[6] = expected[11] = 0.5;  // where +x meets -z
  EXPECT_EQ(weights({1, 0, -1}), expected);
  const std::vector<double> corner = weights({1, 1, 1});
  for (const std::size_t face : {6u, 8u, 10u}) EXPECT_NEAR(corner[face], 1 / 3.0, 1e-15);
  texture.modes.fill(AddressMode::kClamp);
  EXPECT_EQ(weights({1, 0, -1})[11], 1);
}

}  // namespace
}  // namespace vgpu::test
