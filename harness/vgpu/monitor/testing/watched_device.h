// A device whose kernels are watched by one checker.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/launch.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/machine/testing/program.h"
#include "harness/vgpu/monitor/memcheck.h"

namespace vgpu::test {

template <class Checker>
class DeviceWatchedBy {
 public:
  DeviceWatchedBy() {
    std::string problem;
    memory = AddressSpace::reserve(std::uint64_t{0x200000000000}, std::uint64_t{64} << 20, problem);
    if (memory == nullptr) throw std::runtime_error(problem);
  }

  std::uint64_t array(const std::string& name, std::uint64_t elements, std::uint32_t element_bytes) {
    const std::uint64_t address = memory->allocate(elements * element_bytes, MemoryKind::kDevice);
    memory->name(address, name, element_bytes);
    return address;
  }

  /// Runs `body` (see kernel_with; the line is that of `kernel.cu` where nothing else is said) in one block, or a
  /// cluster of several.
  Fault launch(const std::string& body, const std::vector<std::uint64_t>& arguments, std::uint32_t threads = 1,
               const std::string& outside = {}, std::uint32_t dynamic_shared = 0, std::uint32_t blocks = 1) {
    auto loaded = LoadedModule::load(
        kernel_with(static_cast<int>(arguments.size()), ".loc 1 7 0\n" + body, ".file 1 \"kernel.cu\"\n" + outside),
        *memory);
    if (const auto* problem = std::get_if<ptx::Diagnostic>(&loaded)) throw std::runtime_error(problem->message);
    LoadedModule& module = *std::get<std::unique_ptr<LoadedModule>>(loaded);
    LaunchOptions options;
    options.observer = &checker;
    options.heap_allocate = [&](std::uint64_t bytes) { return memory->allocate(bytes, MemoryKind::kHeap); };
    options.heap_free = [&](std::uint64_t address) { return memory->release(address); };
    options.resident_blocks = blocks;
    const LaunchShape shape{{blocks, 1, 1}, {threads, 1, 1}, dynamic_shared, false, blocks > 1, {blocks, 1, 1}};
    Launch launch(*module.kernel("test", true), *memory, shape, bytes_of(arguments), options);
    return launch.run().fault;
  }

  std::unique_ptr<AddressSpace> memory;
  FindingList findings;
  Checker checker{findings};
};

using WatchedDevice = DeviceWatchedBy<Memcheck>;

}  // namespace vgpu::test
