// A device with images in its memory, and kernels that reach them through textures and surfaces.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/image_handles.h"
#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/machine/testing/executed_opcodes.h"
#include "harness/vgpu/machine/testing/program.h"

namespace vgpu::test {

/// Notes the accesses to global memory that it lets pass.
struct SeenAccesses : Observer {
  struct Seen {
    AccessKind kind;
    std::uint32_t bytes;
    Mask lanes;
    std::uint64_t first;  ///< address of the first of the lanes
  };
  Mask access(const MemoryAccess& access) override {
    if (access.space == ptx::Space::kGlobal)
      seen.push_back({access.kind, access.bytes, access.lanes, access.address(__builtin_ctz(access.lanes))});
    return access.lanes;
  }
  std::vector<Seen> seen;
};

class ImageDevice {
 public:
  static constexpr std::uint32_t kThreads = 32;

  ImageDevice() {
    std::string problem;
    memory = AddressSpace::reserve(std::uint64_t{0x200000000000}, std::uint64_t{64} << 20, problem);
    if (memory == nullptr) throw std::runtime_error(problem);
    results = memory->allocate(kThreads * 32, MemoryKind::kDevice, "results");
  }

  /// An image of elements of T; value(x, y, z or layer) is what the first channel holds, the n-th one n more.
  template <class T, class Value>
  Image image(ImageShape shape, ElementFormat format, std::uint32_t width, std::uint32_t height, std::uint32_t slices,
              Value value) {
    Image made;
    made.shape = shape;
    made.format = format;
    made.width = width;
    made.height = height;
    (shape == ImageShape::k3D ? made.depth : made.layers) = slices;
    made.row_bytes = (std::uint64_t{width} * format.bytes() + 15) / 16 * 16;
    made.slice_bytes = made.row_bytes * height;
    made.address = memory->allocate(made.slice_bytes * slices, MemoryKind::kDevice, "image");
    for (std::uint32_t z = 0; z < slices; ++z)
      for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x)
          for (std::uint32_t c = 0; c < format.channels; ++c) {
            const auto held = static_cast<T>(value(x, y, z) + static_cast<T>(c));
            const std::uint64_t at = made.address + z * made.slice_bytes + y * made.row_bytes +
                                     std::uint64_t{x} * format.bytes() + c * sizeof(T);
            std::memcpy(memory->host(at), &held, sizeof held);
          }
    return made;
  }

  /// Runs `body` in one warp with %rd0 = the thread's 32 bytes of results and %rd1, ... = `handles`; %f<40> (f32) are
  /// declared, %r0 is the thread's number and %f0 the same as a float. Unwatched where there is no observer.
  Fault launch(const std::string& body, const std::vector<std::uint64_t>& handles, Observer* observer = nullptr) {
    auto loaded = LoadedModule::load(
        kernel_with(static_cast<int>(handles.size()) + 1,
                    ".reg .f32 %f<40>;\ncvt.rn.f32.u32 %f0, %r0;\nmul.wide.u32 %rd70, %r0, 32;\nadd.u64 %rd0, %rd0, "
                    "%rd70;\n" +
                        body),
        *memory);
    if (const auto* problem = std::get_if<ptx::Diagnostic>(&loaded)) throw std::runtime_error(problem->message);
    LoadedModule& module = *std::get<std::unique_ptr<LoadedModule>>(loaded);
    record_opcodes(module.module());
    std::vector<std::uint64_t> arguments{results};
    arguments.insert(arguments.end(), handles.begin(), handles.end());
    LaunchOptions options;
    options.observer = observer;
    options.images = &images;
    std::memset(memory->host(results), 0xEE, kThreads * 32);
    Launch launch(*module.kernel("test", observer != nullptr), *memory, {{1, 1, 1}, {kThreads, 1, 1}, 0, false},
                  bytes_of(arguments), options);
    return launch.run().fault;
  }

  /// The same, which must go well, once unwatched and once watched; what watching changes fails the test.
  void run(const std::string& body, const std::vector<std::uint64_t>& handles) {
    SeenAccesses observer;
    const Fault watched = launch(body, handles, &observer);
    EXPECT_EQ(watched.kind, FaultKind::kNone) << watched.sentence;
    const auto before = result_words();
    const Fault fault = launch(body, handles);
    EXPECT_EQ(fault.kind, FaultKind::kNone) << fault.sentence;
    EXPECT_EQ(result_words(), before) << body;
  }

  /// Word `n` of a thread's results.
  template <class T>
  T result(std::uint32_t thread, std::uint32_t n = 0) const {
    T value;
    std::memcpy(&value, memory->host(results + thread * 32 + n * sizeof(T)), sizeof value);
    return value;
  }

  /// Why a kernel with this body is not executed; empty if it is.
  std::string refusal(const std::string& body) {
    auto loaded = LoadedModule::load(kernel_with(2, ".reg .f32 %f<40>;\n.reg .f16 %x<4>;\n" + body), *memory);
    if (const auto* problem = std::get_if<ptx::Diagnostic>(&loaded)) return problem->message;
    try {
      std::get<std::unique_ptr<LoadedModule>>(loaded)->kernel("test", false);
    } catch (const Refusal& refusal) {
      return refusal.what;
    }
    return "";
  }

  std::unique_ptr<AddressSpace> memory;
  ImageHandles images;
  std::uint64_t results = 0;

 private:
  std::vector<std::uint32_t> result_words() const {
    std::vector<std::uint32_t> words(kThreads * 8);
    std::memcpy(words.data(), memory->host(results), 4 * words.size());
    return words;
  }
};

}  // namespace vgpu::test
