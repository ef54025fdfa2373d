// Surface loads and stores as nvcc writes them: every geometry, width and boundary mode, and what goes wrong.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/vgpu/machine/testing/image_device.h"
#include "harness/vgpu/monitor/memcheck.h"
#include "harness/vgpu/monitor/racecheck.h"

namespace vgpu::test {
namespace {

using U8 = std::uint8_t;
using U16 = std::uint16_t;
using U32 = std::uint32_t;
using U64 = std::uint64_t;

constexpr ElementFormat kWord{ChannelKind::kUnsigned, 1, 4};
constexpr U32 kSurfaceThreads = ImageDevice::kThreads;

U32 value_at(U32 x, U32 y, U32 z) { return x + 100 * y + 10000 * z; }

/// The thread's place: byte %r10 of row 2 (%r11) of slice or layer 1 (%r12), 4 bytes a thread.
const std::string kPlace = "shl.b32 %r10, %r0, 2;\nmov.u32 %r11, 2;\nmov.u32 %r12, 1;\n";

struct Form {
  const char* geometry;
  const char* coordinates;
  ImageShape shape;
  U32 height, slices, row, slice;
};

constexpr Form kForms[] = {
    {"1d", "{%r10}", ImageShape::k1D, 1, 1, 0, 0},
    {"2d", "{%r10, %r11}", ImageShape::k2D, 4, 1, 2, 0},
    {"3d", "{%r10, %r11, %r12, %r12}", ImageShape::k3D, 4, 3, 2, 1},
    {"a1d", "{%r12, %r10}", ImageShape::k1DLayered, 1, 3, 0, 1},
    {"a2d", "{%r12, %r10, %r11, %r11}", ImageShape::k2DLayered, 4, 3, 2, 1},
};

std::string load_of(const Form& form) {
  return "suld.b." + std::string(form.geometry) + ".b32.trap {%r20}, [%rd1, " + form.coordinates + "];\n";
}
std::string store_of(const Form& form) {
  return "sust.b." + std::string(form.geometry) + ".b32.trap [%rd1, " + form.coordinates + "], {%r20};\n";
}

TEST(Surface, EveryGeometryIsReadAndWritten) {
  for (const Form& form : kForms) {
    ImageDevice device;
    const Image image = device.image<U32>(form.shape, kWord, kSurfaceThreads, form.height, form.slices, value_at);
    // Watched and unwatched, so the store has to leave what the next run reads.
    device.run(kPlace + load_of(form) + "st.global.u32 [%rd0], %r20;\n" + store_of(form),
               {device.images.add_surface(image)});
    for (U32 t = 0; t < kSurfaceThreads; ++t)
      EXPECT_EQ(device.result<U32>(t), value_at(t, form.row, form.slice)) << form.geometry;
    device.launch(kPlace + "add.u32 %r20, %r0, 77;\n" + store_of(form), {device.images.add_surface(image)});
    for (U32 z = 0; z < form.slices; ++z)
      for (U32 y = 0; y < form.height; ++y)
        for (U32 x = 0; x < kSurfaceThreads; ++x) {
          U32 held;
          std::memcpy(&held, device.memory->host(image.address + z * image.slice_bytes + y * image.row_bytes + 4 * x),
                      4);
          EXPECT_EQ(held, y == form.row && z == form.slice ? x + 77 : value_at(x, y, z)) << form.geometry;
        }
  }
}

TEST(Surface, FacesOfCubesAreLayers) {
  ImageDevice device;
  for (const ImageShape shape : {ImageShape::kCube, ImageShape::kCubeLayered}) {
    const Image image = device.image<U32>(shape, kWord, 4, 4, shape == ImageShape::kCube ? 6 : 12, value_at);
    device.run(
        "mov.u32 %r10, 8;\nmov.u32 %r11, 3;\nmov.u32 %r12, 5;\nsuld.b.a2d.b32.trap {%r20}, [%rd1, {%r12, %r10, %r11, "
        "%r11}];\nst.global.u32 [%rd0], %r20;",
        {device.images.add_surface(image)});
    EXPECT_EQ(device.result<U32>(3), value_at(2, 3, 5));
  }
}

struct Width {
  const char* type;       ///< with the vector before it
  const char* registers;  ///< to read into
  const char* store;      ///< of what was read
  U32 bytes;
};

constexpr Width kWidths[] = {
    {"b8", "{%h1}", "st.global.u16 [%rd0], %h1;", 1},
    {"b16", "{%h1}", "st.global.u16 [%rd0], %h1;", 2},
    {"b32", "%r20", "st.global.u32 [%rd0], %r20;", 4},
    {"b64", "{%rd20}", "st.global.u64 [%rd0], %rd20;", 8},
    {"v2.b8", "{%h1, %h2}", "st.global.v2.u16 [%rd0], {%h1, %h2};", 2},
    {"v4.b8", "{%h1, %h2, %h3, %h4}", "st.global.v4.u16 [%rd0], {%h1, %h2, %h3, %h4};", 4},
    {"v2.b16", "{%h1, %h2}", "st.global.v2.u16 [%rd0], {%h1, %h2};", 4},
    {"v4.b16", "{%h1, %h2, %h3, %h4}", "st.global.v4.u16 [%rd0], {%h1, %h2, %h3, %h4};", 8},
    {"v2.b32", "{%r20, %r21}", "st.global.v2.u32 [%rd0], {%r20, %r21};", 8},
    {"v4.b32", "{%r20, %r21, %r22, %r23}", "st.global.v4.u32 [%rd0], {%r20, %r21, %r22, %r23};", 16},
    {"v2.b64", "{%rd20, %rd21}", "st.global.v2.u64 [%rd0], {%rd20, %rd21};", 16},
};

/// Copies every second piece from one surface to another.
std::string copy_of(const Width& width) {
  return "mul.lo.u32 %r10, %r0, " + std::to_string(2 * width.bytes) + ";\nsuld.b.1d." + width.type + ".trap " +
         width.registers + ", [%rd1, {%r10}];\n" + width.store + "\nsust.b.1d." + width.type +
         ".trap [%rd2, {%r10}], " + width.registers + ";";
}

TEST(Surface, EveryWidthMovesItsBytesAndNoOthers) {
  for (const Width& width : kWidths) {
    ImageDevice device;
    const auto byte = [](U32 x, U32, U32) { return static_cast<U8>(x * 7 + x / 256 + 1); };
    const Image from = device.image<U8>(ImageShape::k1D, {ChannelKind::kUnsigned, 1, 1}, 1024, 1, 1, byte);
    const Image to = device.image<U8>(ImageShape::k1D, {ChannelKind::kUnsigned, 1, 1}, 1024, 1, 1,
                                      [](U32, U32, U32) { return U8{0xAA}; });
    device.run(copy_of(width), {device.images.add_surface(from), device.images.add_surface(to)});
    const std::string type = width.type;
    const bool of_bytes = type.find("b8") != std::string::npos;
    for (U32 t = 0; t < kSurfaceThreads; ++t)
      for (U32 n = 0; n < width.bytes; ++n) {
        const U32 x = 2 * width.bytes * t + n;
        U8 copied, beyond;
        std::memcpy(&copied, device.memory->host(to.address + x), 1);
        std::memcpy(&beyond, device.memory->host(to.address + x + width.bytes), 1);
        ASSERT_EQ(copied, byte(x, 0, 0)) << type;
        ASSERT_EQ(beyond, 0xAA) << type;
        if (of_bytes)
          ASSERT_EQ(device.result<U16>(t, n), byte(x, 0, 0)) << type;  // widened with zeros
        else
          ASSERT_EQ(device.result<U8>(t, n), byte(x, 0, 0)) << type;
      }
  }
}

TEST(Surface, BoundaryModesClampToTheNearestPlaceOrReadZerosAndWriteNothing) {
  ImageDevice device;
  const Image image = device.image<U32>(ImageShape::k2D, kWord, 8, 4, 1, value_at);
  const U64 handle = device.images.add_surface(image);
  // Bytes -16 to 108 of rows -4 to 27: inside at threads 4 to 7.
  const std::string place = "shl.b32 %r10, %r0, 2;\nsub.u32 %r10, %r10, 16;\nsub.u32 %r11, %r0, 4;\n";
  device.run(place +
                 "suld.b.2d.b32.zero {%r20}, [%rd1, {%r10, %r11}];\nsuld.b.2d.b32.clamp {%r21}, [%rd1, {%r10, "
                 "%r11}];\nst.global.v2.u32 [%rd0], {%r20, %r21};",
             {handle});
  for (U32 t = 0; t < kSurfaceThreads; ++t) {
    const U32 x = t < 4 ? 0 : std::min(t - 4, 7u), y = t < 4 ? 0 : std::min(t - 4, 3u);
    EXPECT_EQ(device.result<U32>(t, 0), t >= 4 && t < 8 ? value_at(t - 4, t - 4, 0) : 0);
    EXPECT_EQ(device.result<U32>(t, 1), value_at(x, y, 0));
  }
  device.run(place + "sust.b.2d.b32.zero [%rd1, {%r10, %r11}], {%r0};", {handle});
  for (U32 y = 0; y < 4; ++y)
    for (U32 x = 0; x < 8; ++x) {
      U32 held;
      std::memcpy(&held, device.memory->host(image.address + y * image.row_bytes + 4 * x), 4);
      EXPECT_EQ(held, x == y ? x + 4 : value_at(x, y, 0));
    }
  device.run(place + "setp.eq.u32 %p1, %r0, 31;\n@%p1 sust.b.2d.b32.clamp [%rd1, {%r10, %r11}], {%r0};", {handle});
  U32 last;
  std::memcpy(&last, device.memory->host(image.address + 3 * image.row_bytes + 28), 4);
  EXPECT_EQ(last, 31u);
}

// --- what goes wrong ---

struct Fall {
  ImageShape shape;
  U32 height, slices;
  std::string body;
  FaultKind kind;
  const char* words;
};

TEST(Surface, AccessesThatCannotBeStopTheKernelWithASentence) {
  const Fall falls[] = {
      {ImageShape::k1D, 1, 1, "mov.u32 %r10, 64;\nsuld.b.1d.b32.trap {%r20}, [%rd1, {%r10}];",
       FaultKind::kIllegalAddress,
       "a surface read of 4 bytes at byte 64, outside the surface: it has 64 bytes per row"},
      {ImageShape::k2D, 3, 1, "mov.u32 %r10, -3;\nmov.u32 %r11, 8;\nsust.b.2d.b64.trap [%rd1, {%r11, %r10}], {%rd0};",
       FaultKind::kIllegalAddress,
       "a surface write of 8 bytes at byte 8 of row -3, outside the surface: it has 64 bytes per row, 3 rows"},
      {ImageShape::k3D, 3, 2,
       "mov.u32 %r10, 2;\nmov.u32 %r11, 0;\nsuld.b.3d.b32.trap {%r20}, [%rd1, {%r11, %r10, %r10, %r10}];",
       FaultKind::kIllegalAddress,
       "of row 2 of slice 2, outside the surface: it has 64 bytes per row, 3 rows, 2 slices"},
      {ImageShape::k2DLayered, 3, 2,
       "mov.u32 %r10, 2;\nmov.u32 %r11, 0;\nsuld.b.a2d.b32.trap {%r20}, [%rd1, {%r10, %r11, %r10, %r10}];",
       FaultKind::kIllegalAddress,
       "of row 2 of layer 2, outside the surface: it has 64 bytes per row, 3 rows, 2 layers"},
      {ImageShape::k1D, 1, 1, "suld.b.1d.b32.clamp {%r20}, [%rd1, {%r0}];", FaultKind::kMisalignedAddress,
       "a surface access of 4 bytes at byte 1 of a row, which is not a multiple of 4: the x coordinate counts bytes"},
      {ImageShape::k1D, 1, 1, "mov.u32 %r10, 0;\nsuld.b.2d.b32.trap {%r20}, [%rd1, {%r10, %r10}];", FaultKind::kRefused,
       "a 2-D access to a 1-D surface"},
  };
  for (const Fall& fall : falls) {
    ImageDevice device;
    const Image image = device.image<U32>(fall.shape, kWord, 16, fall.height, fall.slices, value_at);
    SeenAccesses observer;
    for (Observer* const watcher : {static_cast<Observer*>(nullptr), static_cast<Observer*>(&observer)}) {
      const Fault fault = device.launch(fall.body, {device.images.add_surface(image)}, watcher);
      EXPECT_EQ(fault.kind, fall.kind) << fall.body;
      EXPECT_NE(fault.sentence.find(fall.words), std::string::npos) << fault.sentence;
    }
  }
}

TEST(Surface, HandlesThatAreNoneStopTheKernelWithASentence) {
  ImageDevice device;
  const Image image = device.image<U32>(ImageShape::k1D, kWord, 16, 1, 1, value_at);
  Texture texture;
  texture.image = image;
  const U64 wrong = device.images.add_texture(texture), destroyed = device.images.add_surface(image);
  EXPECT_TRUE(device.images.remove_surface(destroyed));
  const std::string body = "mov.u32 %r10, 0;\nsust.b.1d.b32.zero [%rd1, {%r10}], {%r0};";
  EXPECT_EQ(device.launch(body, {0}).sentence, "the surface object is 0: it was never created");
  EXPECT_EQ(device.launch(body, {wrong}).sentence, "a texture object was used as a surface object");
  EXPECT_EQ(device.launch(body, {destroyed}).sentence, "the surface object 0x10000002 has been destroyed");
  EXPECT_EQ(device.launch("suq.width.b32 %r5, [%rd1];", {7}).kind, FaultKind::kIllegalAddress);
}

TEST(Surface, WhatIsNotThereIsRefusedByName) {
  ImageDevice device;
  for (const std::string instruction : {
           "sust.p.1d.v4.b32.trap [%rd1, {%r0}], {%r1, %r2, %r3, %r4}",
           "sured.b.add.1d.u32.trap [%rd1, {%r0}], %r1",
           "suld.b.1d.v4.b64.trap {%rd5, %rd6, %rd7, %rd8}, [%rd1, {%r0}]",
           "suld.b.1d.b32 {%r5}, [%rd1, {%r0}]",
           "suld.b.1d.v2.b32.trap {%r5}, [%rd1, {%r0}]",
           "suld.b.1d.b32.trap {%h5}, [%rd1, {%r0}]",
           "suld.b.cube.b32.trap {%r5}, [%rd1, {%r0, %r0, %r0, %r0}]",
       })
    EXPECT_NE(device.refusal(instruction + ";").find(instruction.substr(0, instruction.find(' '))), std::string::npos)
        << instruction << ": " << device.refusal(instruction + ";");
}

// --- what checkers make of it ---

TEST(Images, MemcheckReportsReadsOfMemoryThatHasBeenFreed) {
  ImageDevice device;
  Texture texture;
  texture.image = device.image<float>(ImageShape::kLinear, {ChannelKind::kFloat, 1, 4}, 64, 1, 1,
                                      [](U32 x, U32, U32) { return static_cast<float>(x); });
  const U64 handle = device.images.add_texture(texture);
  FindingList findings;
  Memcheck checker(findings);
  const std::string body = "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r0}];";
  device.launch(body, {handle}, &checker);
  EXPECT_TRUE(findings.empty());
  device.memory->release(texture.image.address);
  device.launch(body, {handle}, &checker);
  ASSERT_EQ(findings.all().size(), 1u);
  EXPECT_EQ(findings.all()[0].kind, "use after free (read)");
  EXPECT_EQ(findings.all()[0].array, "image");
}

TEST(Images, RacecheckSeesSurfacesAndTextures) {
  for (const bool by_texture : {false, true}) {
    ImageDevice device;
    Texture texture;
    texture.image = device.image<U32>(ImageShape::k1D, kWord, 64, 1, 1, value_at);
    const U64 surface = device.images.add_surface(texture.image), fetched = device.images.add_texture(texture);
    const std::string read =
        by_texture ? "add.f32 %f5, %f0, 0f3FC00000;\ntex.1d.v4.u32.f32 {%r20, %r21, %r22, %r23}, [%rd2, {%f5}];"
                   : "add.u32 %r11, %r10, 4;\nsuld.b.1d.b32.zero {%r20}, [%rd1, {%r11}];";
    for (const bool ordered : {false, true}) {
      FindingList findings;
      Racecheck checker(findings);
      device.launch("shl.b32 %r10, %r0, 2;\nsust.b.1d.b32.trap [%rd1, {%r10}], {%r0};\n" +
                        std::string(ordered ? "bar.warp.sync -1;\n" : "") + read,
                    {surface, fetched}, &checker);
      EXPECT_EQ(findings.empty(), ordered) << (by_texture ? "texture" : "surface");
    }
  }
}

}  // namespace
}  // namespace vgpu::test
