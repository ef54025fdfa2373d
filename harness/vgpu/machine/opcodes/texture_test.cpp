// Texture instructions as nvcc writes them: every geometry, what becomes of handles that are none, and what observers
// see. That coordinates become the right values is the matter of texture_fetch_test.cpp.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/image_device.h"

namespace vgpu::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr ElementFormat kFloat{ChannelKind::kFloat, 1, 4}, kFloat4{ChannelKind::kFloat, 4, 4};
constexpr U32 kTextureThreads = ImageDevice::kThreads;

/// No two elements of the images below are alike.
float texel_at(U32 x, U32 y, U32 z) { return static_cast<float>(x + 100 * y + 10000 * z); }

Texture sampled(const Image& image) {
  Texture texture;
  texture.image = image;
  return texture;
}

/// Stores four f32, %f1 to %f4.
const std::string kStore = "\nst.global.v4.f32 [%rd0], {%f1, %f2, %f3, %f4};";

/// A fetch that every thread makes at a place of its own: x = its number, y = 2, z = 3, layer 1.
struct TextureForm {
  const char* instruction;
  ImageShape shape;
  U32 height, slices;
  float (*expected)(U32 thread);
};

const std::string kTexturePlace =
    "add.f32 %f10, %f0, 0f3F000000;\nmov.f32 %f11, 0f40200000;\nmov.f32 %f12, 0f40600000;\nmov.u32 %r10, 1;\nmov.f32 "
    "%f13, 0f40A00000;\n";

std::string body_of(const TextureForm& form) { return kTexturePlace + form.instruction + kStore; }

TEST(Texture, EveryGeometryWithAndWithoutLevelsAndGradients) {
  const auto line = [](U32 t) { return texel_at(t, 0, 0); };
  const auto plane = [](U32 t) { return texel_at(t, 2, 0); };
  const auto space = [](U32 t) { return texel_at(t, 2, 3); };
  const auto line1 = [](U32 t) { return texel_at(t, 0, 1); };
  const auto plane1 = [](U32 t) { return texel_at(t, 2, 1); };
  const TextureForm forms[] = {
      {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10}];", ImageShape::k1D, 1, 1, line},
      {"tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, %f10];", ImageShape::k1D, 1, 1, line},
      {"tex.level.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10}], %f13;", ImageShape::k1D, 1, 1, line},
      {"tex.grad.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10}], {%f13}, {%f13};", ImageShape::k1D, 1, 1, line},
      {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10, %f11}];", ImageShape::k2D, 4, 1, plane},
      {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10, %f11}], %f13;", ImageShape::k2D, 4, 1, plane},
      {"tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10, %f11}], {%f13, %f13}, {%f13, %f13};",
       ImageShape::k2D, 4, 1, plane},
      {"tex.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10, %f11, %f12, %f12}];", ImageShape::k3D, 4, 5, space},
      {"tex.level.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10, %f11, %f12, %f12}], %f13;", ImageShape::k3D, 4, 5,
       space},
      {"tex.grad.3d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10, %f11, %f12, %f12}], {%f13, %f13, %f13, %f13}, "
       "{%f13, %f13, %f13, %f13};",
       ImageShape::k3D, 4, 5, space},
      {"tex.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r10, %f10}];", ImageShape::k1DLayered, 1, 3, line1},
      {"tex.level.a1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r10, %f10}], %f13;", ImageShape::k1DLayered, 1, 3,
       line1},
      {"tex.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r10, %f10, %f11, %f11}];", ImageShape::k2DLayered, 4, 3,
       plane1},
      {"tex.grad.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r10, %f10, %f11, %f11}], {%f13, %f13}, {%f13, %f13};",
       ImageShape::k2DLayered, 4, 3, plane1},
  };
  for (const TextureForm& form : forms) {
    ImageDevice device;
    const Image image = device.image<float>(form.shape, kFloat, kTextureThreads, form.height, form.slices, texel_at);
    device.run(body_of(form), {device.images.add_texture(sampled(image))});
    for (U32 t = 0; t < kTextureThreads; ++t) {
      ASSERT_EQ(device.result<float>(t), form.expected(t)) << form.instruction << " thread " << t;
      ASSERT_EQ(device.result<float>(t, 1), 0) << form.instruction;
      ASSERT_EQ(device.result<float>(t, 3), 1) << form.instruction;
    }
  }
}

TEST(Texture, CubesTakeADirectionAndTheNumberOfACube) {
  ImageDevice device;
  const auto value = [](U32 x, U32 y, U32 face) { return texel_at(x, y, face); };
  const U64 cube = device.images.add_texture(sampled(device.image<float>(ImageShape::kCube, kFloat, 2, 2, 6, value)));
  const U64 two =
      device.images.add_texture(sampled(device.image<float>(ImageShape::kCubeLayered, kFloat, 2, 2, 12, value)));
  // The direction (0.5, -1, 0.5): face 3, its first row, its second element.
  device.run(
      "mov.f32 %f10, 0f3F000000;\nmov.f32 %f11, 0fBF800000;\nmov.u32 %r10, 1;\ntex.cube.v4.f32.f32 {%f1, %f4, "
      "%f4, %f4}, [%rd1, {%f10, %f11, %f10, %f10}];\ntex.acube.v4.f32.f32 {%f2, %f4, %f4, %f4}, [%rd2, {%r10, %f10, "
      "%f11, %f10}];\ntex.level.cube.v4.f32.f32 {%f3, %f4, %f4, %f4}, [%rd1, {%f10, %f11, %f10, %f10}], %f0;" +
          kStore,
      {cube, two});
  EXPECT_EQ(device.result<float>(5, 0), texel_at(1, 0, 3));
  EXPECT_EQ(device.result<float>(5, 1), texel_at(1, 0, 9));
  EXPECT_EQ(device.result<float>(5, 2), texel_at(1, 0, 3));
}

TEST(Texture, LinearFilteringBlendsInEveryGeometry) {
  ImageDevice device;
  const auto texture_of = [&](ImageShape shape, U32 height, U32 slices) {
    Texture texture = sampled(device.image<float>(shape, kFloat, kTextureThreads + 1, height, slices, texel_at));
    texture.linear = true;
    return device.images.add_texture(texture);
  };
  // Half-way between two elements along every axis.
  device.run(
      "add.f32 %f10, %f0, 0f3F800000;\nmov.f32 %f11, 0f40000000;\nmov.u32 %r10, 1;\n"
      "tex.1d.v4.f32.f32 {%f1, %f5, %f5, %f5}, [%rd1, {%f10}];\n"
      "tex.2d.v4.f32.f32 {%f2, %f5, %f5, %f5}, [%rd2, {%f10, %f11}];\n"
      "tex.3d.v4.f32.f32 {%f3, %f5, %f5, %f5}, [%rd3, {%f10, %f11, %f11, %f11}];\n"
      "tex.a2d.v4.f32.f32 {%f4, %f5, %f5, %f5}, [%rd4, {%r10, %f10, %f11, %f11}];" +
          kStore,
      {texture_of(ImageShape::k1D, 1, 1), texture_of(ImageShape::k2D, 4, 1), texture_of(ImageShape::k3D, 4, 4),
       texture_of(ImageShape::k2DLayered, 4, 3)});
  for (U32 t = 0; t < kTextureThreads; ++t) {
    const float x = static_cast<float>(t) + 0.5F;
    EXPECT_EQ(device.result<float>(t, 0), x);
    EXPECT_EQ(device.result<float>(t, 1), x + 150);
    EXPECT_EQ(device.result<float>(t, 2), x + 150 + 15000);
    EXPECT_EQ(device.result<float>(t, 3), x + 150 + 10000);
  }
}

TEST(Texture, LinearMemoryIsReadByNumberAndIsZeroOutside) {
  ImageDevice device;
  const auto number = [](U32 x, U32, U32) { return static_cast<int>(x) - 5; };
  Image image = device.image<int>(ImageShape::kLinear, {ChannelKind::kSigned, 2, 4}, 10, 1, 1, number);
  Texture texture = sampled(image);
  const U64 handle = device.images.add_texture(texture);
  device.run(
      "sub.u32 %r10, %r0, 4;\ntex.1d.v4.s32.s32 {%r11, %r12, %r13, %r14}, [%rd1, {%r10}];\nst.global.v4.u32 "
      "[%rd0], {%r11, %r12, %r13, %r14};",
      {handle});
  for (U32 t = 0; t < kTextureThreads; ++t) {
    const bool inside = t >= 4 && t < 14;
    EXPECT_EQ(device.result<int>(t, 0), inside ? static_cast<int>(t) - 9 : 0);
    EXPECT_EQ(device.result<int>(t, 1), inside ? static_cast<int>(t) - 8 : 0);
    EXPECT_EQ(device.result<int>(t, 2), 0);
    EXPECT_EQ(device.result<int>(t, 3), 1);
  }
}

TEST(Texture, GathersOneChannelOfFourElements) {
  ImageDevice device;
  const U64 handle =
      device.images.add_texture(sampled(device.image<float>(ImageShape::k2D, kFloat4, 8, 8, 1, texel_at)));
  int c = 0;
  for (const char* const component : {"r", "g", "b", "a"}) {
    device.run("mov.f32 %f10, 0f40800000;\ntld4." + std::string(component) +
                   ".2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f10, %f10}];" + kStore,
               {handle});
    const auto shift = static_cast<float>(c++);
    EXPECT_EQ(device.result<float>(9, 0), texel_at(3, 4, 0) + shift);
    EXPECT_EQ(device.result<float>(9, 1), texel_at(4, 4, 0) + shift);
    EXPECT_EQ(device.result<float>(9, 2), texel_at(4, 3, 0) + shift);
    EXPECT_EQ(device.result<float>(9, 3), texel_at(3, 3, 0) + shift);
  }
}

TEST(Texture, OnlyActiveLanesFetchAndTheirResultsMayLieInTheirCoordinates) {
  ImageDevice device;
  const U64 handle =
      device.images.add_texture(sampled(device.image<float>(ImageShape::k1D, kFloat4, 64, 1, 1, texel_at)));
  device.run(
      "and.b32 %r10, %r0, 1;\nsetp.eq.u32 %p1, %r10, 0;\nsetp.eq.u32 %p2, %r10, 5;\nadd.f32 %f1, %f0, "
      "0f41200000;\nmov.f32 %f2, 0f00000000;\nmov.f32 %f3, 0f00000000;\n@%p1 tex.1d.v4.f32.f32 {%f1, %f2, %f3, "
      "_}|%p2, [%rd1, {%f1}];\nselp.f32 %f4, 0f3F800000, 0f00000000, %p2;" +
          kStore,
      {handle});
  for (U32 t = 0; t < kTextureThreads; ++t) {
    const auto x = static_cast<float>(t + 10);
    EXPECT_EQ(device.result<float>(t, 0), x);
    EXPECT_EQ(device.result<float>(t, 1), t % 2 == 0 ? x + 1 : 0);
    EXPECT_EQ(device.result<float>(t, 2), t % 2 == 0 ? x + 2 : 0);
    EXPECT_EQ(device.result<float>(t, 3), t % 2 == 0 ? 1 : 0);  // resident
  }
}

TEST(Texture, LanesMayNameDifferentTextures) {
  ImageDevice device;
  const auto texture_of = [&](float shift) {
    return device.images.add_texture(sampled(device.image<float>(
        ImageShape::k1D, kFloat, 64, 1, 1, [=](U32 x, U32 y, U32 z) { return texel_at(x, y, z) + shift; })));
  };
  const U64 first = texture_of(0), second = texture_of(5000);
  device.run(
      "and.b32 %r10, %r0, 4;\nsetp.eq.u32 %p1, %r10, 0;\nselp.b64 %rd5, %rd1, %rd2, %p1;\ntex.1d.v4.f32.f32 {%f1, "
      "%f2, %f3, %f4}, [%rd5, {%f0}];" +
          kStore,
      {first, second});
  for (U32 t = 0; t < kTextureThreads; ++t)
    EXPECT_EQ(device.result<float>(t), static_cast<float>(t + ((t & 4) != 0 ? 5000 : 0)));
}

TEST(Texture, QueriesTellExtents) {
  ImageDevice device;
  const Image planes = device.image<float>(ImageShape::k2DLayered, kFloat, 7, 5, 3, texel_at);
  const Image space = device.image<float>(ImageShape::k3D, kFloat, 6, 4, 2, texel_at);
  device.run(
      "txq.width.b32 %r10, [%rd1];\ntxq.height.b32 %r11, [%rd1];\ntxq.array_size.b32 %r12, [%rd1];\ntxq.depth.b32 "
      "%r13, [%rd1];\nst.global.v4.u32 [%rd0], {%r10, %r11, %r12, %r13};\nsuq.width.b32 %r10, [%rd2];\nsuq.height.b32 "
      "%r11, [%rd2];\nsuq.depth.b32 %r12, [%rd2];\nsuq.array_size.b32 %r13, [%rd2];\nst.global.v4.u32 [%rd0+16], "
      "{%r10, %r11, %r12, %r13};",
      {device.images.add_texture(sampled(planes)), device.images.add_surface(space)});
  const U32 expected[] = {7, 5, 3, 0, 6, 4, 2, 0};
  for (U32 n = 0; n < 8; ++n) EXPECT_EQ(device.result<U32>(31, n), expected[n]) << n;
}

// --- what goes wrong ---

const std::string kFetch2D = "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}];";

TEST(Texture, HandlesThatAreNoneStopTheKernelWithASentence) {
  ImageDevice device;
  const Image image = device.image<float>(ImageShape::k2D, kFloat, 4, 4, 1, texel_at);
  const U64 destroyed = device.images.add_texture(sampled(image)), surface = device.images.add_surface(image);
  EXPECT_FALSE(device.images.remove_surface(destroyed));
  EXPECT_TRUE(device.images.remove_texture(destroyed));
  EXPECT_FALSE(device.images.remove_texture(destroyed));
  struct Row {
    U64 handle;
    const char* words;
  };
  const Row rows[] = {
      {0, "the texture object is 0: it was never created"},
      {42, "there is no texture object 0x2a"},
      {device.memory->low(), "there is no texture object 0x200000000000"},
      {destroyed, "the texture object 0x10000001 has been destroyed"},
      {surface, "a surface object was used as a texture object"},
  };
  SeenAccesses observer;
  for (const Row& row : rows)
    for (Observer* const watcher : {static_cast<Observer*>(nullptr), static_cast<Observer*>(&observer)})
      for (const std::string& body : {kFetch2D, std::string("txq.width.b32 %r5, [%rd1];")}) {
        const Fault fault = device.launch(body, {row.handle}, watcher);
        EXPECT_EQ(fault.kind, FaultKind::kIllegalAddress);
        EXPECT_NE(fault.sentence.find(row.words), std::string::npos) << fault.sentence;
      }
}

TEST(Texture, FetchesThatDoNotFitTheTextureStopTheKernel) {
  ImageDevice device;
  const auto texture_of = [&](ImageShape shape, U32 height) {
    return sampled(device.image<float>(shape, kFloat, 4, height, 1, texel_at));
  };
  Texture along = texture_of(ImageShape::k2D, 4);
  along.anisotropic = true;
  struct Row {
    Texture texture;
    std::string body;
    const char* words;
  };
  const Row rows[] = {
      {texture_of(ImageShape::k1D, 1), kFetch2D, "a 2-D fetch from a 1-D texture"},
      {texture_of(ImageShape::k2DLayered, 4), kFetch2D, "a 2-D fetch from a layered 2-D texture"},
      {texture_of(ImageShape::kLinear, 1), "tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];",
       "it needs tex1Dfetch"},
      {texture_of(ImageShape::k1D, 1), "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0}];",
       "from a 1-D texture: it needs one of linear memory"},
      {along, "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], {%f0, %f0}, {%f0, %f0};",
       "an anisotropic fetch along a gradient"},
  };
  for (const Row& row : rows) {
    const Fault fault = device.launch(row.body, {device.images.add_texture(row.texture)});
    EXPECT_EQ(fault.kind, FaultKind::kRefused) << row.body;
    EXPECT_NE(fault.sentence.find(row.words), std::string::npos) << fault.sentence;
  }
}

TEST(Texture, WhatIsNotThereIsRefusedByName) {
  ImageDevice device;
  for (const std::string instruction : {
           "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %r0}]",
           "tex.2d.v4.f16.f32 {%x1, %x2, %x3, %x3}, [%rd1, {%f0, %f0}]",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], {%r1, %r2}",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3}, [%rd1, {%f0, %f0}]",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}]",
           "tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1]",
           "tex.2dms.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %r0, %r0, %r0}]",
           "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], {%f1, %f2}, {%f1, %f2, %f3}",
           "tex.grad.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f0}], %f1, {%f1, %f2}",
           "tld4.r.a2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0, %f0, %f0, %f0}]",
           "txq.channel_order.b32 %r5, [%rd1]",
           "suq.memory_layout.b32 %r5, [%rd1]",
           "ld.global.u32 %r5, [%rd1, {%r0}]",
       })
    EXPECT_NE(device.refusal(instruction + ";").find(instruction.substr(0, instruction.find(' '))), std::string::npos)
        << instruction << ": " << device.refusal(instruction + ";");
}

TEST(Texture, ObserversSeeEveryElementThatIsRead) {
  ImageDevice device;
  Texture texture = sampled(device.image<float>(ImageShape::k2D, kFloat4, 8, 8, 1, texel_at));
  texture.linear = true;
  texture.modes = {AddressMode::kBorder, AddressMode::kClamp, AddressMode::kClamp};
  SeenAccesses observer;
  // Lane 3 at (3.5, 4): two elements above each other. The left ones of lane 0 are the border.
  device.launch("mov.f32 %f10, 0f40800000;\ntex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0, %f10}];",
                {device.images.add_texture(texture)}, &observer);
  ASSERT_EQ(observer.seen.size(), 4u);
  for (const SeenAccesses::Seen& access : observer.seen) {
    EXPECT_EQ(access.kind, AccessKind::kLoad);
    EXPECT_EQ(access.bytes, 16u);
  }
  const Mask left = 0x1FE, right = 0xFF;  // x from 0.5 to 8.5, and from -0.5 to 7.5, is inside
  EXPECT_EQ(observer.seen[0].lanes, left);
  EXPECT_EQ(observer.seen[1].lanes, right);
  EXPECT_EQ(observer.seen[2].lanes, left);
  EXPECT_EQ(observer.seen[3].lanes, right);
  EXPECT_EQ(observer.seen[0].first, texture.image.address + 3 * texture.image.row_bytes);
  EXPECT_EQ(observer.seen[3].first, texture.image.address + 4 * texture.image.row_bytes);
}

TEST(Texture, LanesThatAnObserverHoldsBackReadZeros) {
  struct HoldsBackOdd : Observer {
    Mask access(const MemoryAccess& access) override {
      return access.kind == AccessKind::kLoad ? access.lanes & 0x55555555 : access.lanes;
    }
  } observer;
  ImageDevice device;
  const auto handle = device.images.add_texture(sampled(device.image<float>(
      ImageShape::k1D, kFloat, 64, 1, 1, [](U32 x, U32, U32) { return static_cast<float>(x + 1); })));
  device.launch("tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f0}];" + kStore, {handle}, &observer);
  for (U32 t = 0; t < kTextureThreads; ++t)
    EXPECT_EQ(device.result<float>(t), t % 2 == 0 ? static_cast<float>(t + 1) : 0);
}

}  // namespace
}  // namespace vgpu::test
