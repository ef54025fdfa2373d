#include "harness/vgpu/machine/loaded_module.h"

#include <algorithm>
#include <cstring>

#include "harness/vgpu/machine/zeros.h"

namespace vgpu {
namespace {

/// Addresses that stand for functions lie this far apart inside one allocation.
constexpr std::uint64_t kFunctionGrain = 16;

/// What the elements of a variable take: 0 if its declaration does not say. The compiler declares arrays as bytes, but
/// aligned as their elements are.
std::uint32_t element_bytes_of(const ptx::Variable& variable) {
  const bool is_any_array = variable.type == ptx::Type::kB8 && variable.align > 1;
  return is_any_array ? 0 : ptx::size_of(variable.type);
}

}  // namespace

LoadedModule::LoadedModule(ptx::Module module, AddressSpace& memory) : module_(std::move(module)), memory_(memory) {}

LoadedModule::~LoadedModule() {
  for (const auto& [name, place] : variables_) memory_.release(place.address);  // shared ones are not in there
}

std::variant<std::unique_ptr<LoadedModule>, ptx::Diagnostic> LoadedModule::load(std::string text, AddressSpace& memory,
                                                                                const LoadedModule* managed,
                                                                                const VariablePlaces& in_program) {
  return load(ptx::parse(std::move(text)), memory, managed, in_program);
}

std::variant<std::unique_ptr<LoadedModule>, ptx::Diagnostic> LoadedModule::load(std::vector<ptx::Unit> units,
                                                                                AddressSpace& memory,
                                                                                const LoadedModule* managed,
                                                                                const VariablePlaces& in_program) {
  return load(ptx::link(std::move(units)), memory, managed, in_program);
}

std::variant<std::unique_ptr<LoadedModule>, ptx::Diagnostic> LoadedModule::load(
    std::variant<ptx::Module, ptx::Diagnostic> parsed, AddressSpace& memory, const LoadedModule* managed,
    const VariablePlaces& in_program) {
  if (auto* diagnostic = std::get_if<ptx::Diagnostic>(&parsed)) return std::move(*diagnostic);
  std::unique_ptr<LoadedModule> module(new LoadedModule(std::move(std::get<ptx::Module>(parsed)), memory));
  ptx::Diagnostic diagnostic;
  if (!module->place_everything(diagnostic, managed, in_program)) return diagnostic;
  return module;
}

bool LoadedModule::place_everything(ptx::Diagnostic& diagnostic, const LoadedModule* managed,
                                    const VariablePlaces& in_program) {
  std::uint64_t functions = 0;
  for (const ptx::Function& function : module_.functions) functions += function.has_body ? 1 : 0;
  const std::uint64_t code = memory_.allocate(functions * kFunctionGrain, MemoryKind::kCode, "device functions");
  if (code == 0) {
    diagnostic = {0, "no device memory is left for the module's functions"};
    return false;
  }
  variables_["(code)"] = {code, functions * kFunctionGrain};
  std::uint64_t next = code;
  for (const ptx::Function& function : module_.functions) {
    if (!function.has_body) continue;
    addresses_[function.name] = next;
    next += kFunctionGrain;
  }

  for (const ptx::Variable& variable : module_.variables) {
    if (variable.space != ptx::Space::kGlobal && variable.space != ptx::Space::kConst) continue;
    if (variable.is_extern) {
      diagnostic = {0, "the variable " + variable.name + " is declared extern, and nothing defines it"};
      return false;
    }
    const auto in_host_code = in_program.find(variable.name);
    const bool has_place = in_host_code != in_program.end();
    if ((variable.is_managed || has_place) && managed != nullptr) {
      variables_[variable.name] = managed->variables_.at(variable.name);
      addresses_[variable.name] = variables_[variable.name].address;
      continue;
    }
    const MemoryKind kind = variable.is_managed                    ? MemoryKind::kManaged
                            : variable.space == ptx::Space::kConst ? MemoryKind::kConstant
                                                                   : MemoryKind::kVariable;
    if (has_place && in_host_code->second.bytes != variable.bytes) {
      diagnostic = {0, "the managed variable " + variable.name + " has " + std::to_string(variable.bytes) +
                           " bytes in device code and " + std::to_string(in_host_code->second.bytes) + " in host code"};
      return false;
    }
    const std::uint64_t address =
        has_place ? in_host_code->second.address : memory_.allocate(variable.bytes, kind, variable.name);
    if (address == 0) {
      diagnostic = {0, "no device memory is left for the variable " + variable.name};
      return false;
    }
    std::byte* const at = memory_.home_of(address).host(address);
    if (!has_place || std::any_of(at, at + variable.bytes, [](std::byte b) { return b != std::byte{0}; }))
      fill_with_zeros(at, variable.bytes);
    if (!variable.initial.empty()) std::memcpy(at, variable.initial.data(), variable.initial.size());
    memory_.name(address, variable.name, element_bytes_of(variable));
    if (variable.is_managed) memory_.lend(address);
    addresses_[variable.name] = address;
    variables_[variable.name] = {address, variable.bytes};
  }

  // Addresses inside initialisers, now that every name has one.
  for (const ptx::Variable& variable : module_.variables) {
    if (managed != nullptr && (variable.is_managed || in_program.count(variable.name) != 0)) continue;
    for (const ptx::Relocation& relocation : variable.relocations) {
      const auto target = addresses_.find(relocation.symbol);
      if (target == addresses_.end()) {
        diagnostic = {relocation.line, "the initialiser of " + variable.name + " names " +
                                           std::string(relocation.symbol) + ", which the module does not define"};
        return false;
      }
      const std::uint64_t value = target->second + static_cast<std::uint64_t>(relocation.addend);
      const std::uint64_t at = addresses_.at(variable.name);
      std::memcpy(memory_.home_of(at).host(at) + relocation.offset, &value, relocation.bytes);
    }
  }
  return true;
}

const LoadedModule::VariablePlace* LoadedModule::variable(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

const std::string* LoadedModule::kernel_at(std::uint64_t address) const {
  for (const ptx::Function& function : module_.functions)
    if (function.is_kernel && function.has_body && addresses_.at(function.name) == address) return &function.name;
  return nullptr;
}

const Kernel* LoadedModule::kernel(std::string_view name, bool monitored) {
  const auto found = kernels_.find({std::string(name), monitored});
  if (found != kernels_.end()) return found->second.get();
  const ptx::Function* const function = ptx::find_function(module_, name);
  if (function == nullptr || !function->is_kernel || !function->has_body) return nullptr;
  auto kernel = std::make_unique<Kernel>(module_, *function, addresses_, monitored);
  return (kernels_[{std::string(name), monitored}] = std::move(kernel)).get();
}

}  // namespace vgpu
