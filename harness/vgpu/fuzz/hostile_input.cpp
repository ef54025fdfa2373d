#include "harness/vgpu/fuzz/hostile_input.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/loaded_module.h"
#include "harness/vgpu/ptx/fat_binary.h"
#include "harness/vgpu/ptx/machine_code.h"

namespace vgpu::fuzz {
namespace {

constexpr std::uint64_t kBase = 0x310000000000;
constexpr std::uint64_t kCapacity = std::uint64_t{64} << 20;
constexpr std::uint32_t kStackBytes = 1024;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

AddressSpace& device_memory() {
  static const std::unique_ptr<AddressSpace> kMemory = [] {
    std::string problem;
    std::unique_ptr<AddressSpace> memory = AddressSpace::reserve(kBase, kCapacity, problem);
    require(memory != nullptr, problem.c_str());
    return memory;
  }();
  return *kMemory;
}

}  // namespace

Outcome load_ptx(std::string_view text) {
  AddressSpace& memory = device_memory();
  const std::uint64_t used_before = memory.used();
  Outcome outcome = Outcome::kDecoded;
  {
    auto loaded = LoadedModule::load(std::string(text), memory);
    if (const auto* diagnostic = std::get_if<ptx::Diagnostic>(&loaded)) {
      require(!diagnostic->message.empty(), "a diagnostic says nothing");
      outcome = Outcome::kNotLoadable;
    } else {
      LoadedModule& module = *std::get<std::unique_ptr<LoadedModule>>(loaded);
      for (const ptx::Function& function : module.module().functions) {
        if (!function.is_kernel) continue;
        for (const bool monitored : {false, true}) {
          try {
            const Kernel* const kernel = module.kernel(function.name, monitored);
            if (kernel != nullptr) kernel->local_bytes(kStackBytes);
          } catch (const Refusal& refusal) {
            require(!refusal.what.empty(), "a refusal says nothing");
            outcome = Outcome::kRefused;
          }
        }
      }
    }
  }
  require(memory.used() == used_before, "a module kept device memory");
  return outcome;
}

bool read_fat_binary(const std::byte* data, std::size_t bytes) {
  const auto read = ptx::read_fat_binary(data, bytes);
  if (const auto* problem = std::get_if<std::string>(&read)) {
    require(!problem->empty(), "an error says nothing");
    return false;
  }
  for (const ptx::FatBinaryEntry& entry : std::get<std::vector<ptx::FatBinaryEntry>>(read))
    if (entry.kind == ptx::FatBinaryEntry::Kind::kMachineCode) ptx::read_kernel_resources(entry.contents);
  return true;
}

}  // namespace vgpu::fuzz
