// A PTX module on a device: its variables have addresses and contents, its kernels are decoded when first asked for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/vgpu/machine/address_space.h"
#include "harness/vgpu/machine/kernel.h"
#include "harness/vgpu/ptx/linker.h"
#include "harness/vgpu/ptx/module.h"
#include "harness/vgpu/ptx/parser.h"

namespace vgpu {

class LoadedModule {
 public:
  struct VariablePlace {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
  };
  using VariablePlaces = std::map<std::string, VariablePlace, std::less<>>;

  /// Parses the text and places its variables in `memory`, which must outlive the module. Managed variables are those
  /// of `managed`, the same module on another device, if there is one: all devices share them. Those of `in_program`
  /// are managed, too, and lie where they are said to: in memory of the program's own that `memory` knows as a peer.
  static std::variant<std::unique_ptr<LoadedModule>, ptx::Diagnostic> load(std::string ptx, AddressSpace& memory,
                                                                           const LoadedModule* managed = nullptr,
                                                                           const VariablePlaces& in_program = {});
  /// The same for a program of several translation units, which are linked.
  static std::variant<std::unique_ptr<LoadedModule>, ptx::Diagnostic> load(std::vector<ptx::Unit> units,
                                                                           AddressSpace& memory,
                                                                           const LoadedModule* managed = nullptr,
                                                                           const VariablePlaces& in_program = {});

  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  /// A .global or .const variable; null if the module has none of that name.
  const VariablePlace* variable(std::string_view name) const;

  /// The kernel of that name, decoded on first use; null if the module has none. Throws Refusal.
  const Kernel* kernel(std::string_view name, bool monitored);

  /// The name of the kernel that an address stands for; null if it stands for none.
  const std::string* kernel_at(std::uint64_t address) const;

  const ptx::Module& module() const { return module_; }

 private:
  LoadedModule(ptx::Module module, AddressSpace& memory);

  static std::variant<std::unique_ptr<LoadedModule>, ptx::Diagnostic> load(
      std::variant<ptx::Module, ptx::Diagnostic> parsed, AddressSpace& memory, const LoadedModule* managed,
      const VariablePlaces& in_program);
  bool place_everything(ptx::Diagnostic& diagnostic, const LoadedModule* managed, const VariablePlaces& in_program);

  ptx::Module module_;
  AddressSpace& memory_;
  std::map<std::string, std::uint64_t, std::less<>> addresses_;
  VariablePlaces variables_;
  std::map<std::pair<std::string, bool>, std::unique_ptr<Kernel>> kernels_;
};

}  // namespace vgpu
