#include "harness/vgpu/machine/kernel.h"

#include <algorithm>
#include <functional>
#include <set>

#include "harness/vgpu/machine/symbol_names.h"
#include "harness/vgpu/machine/translator/translation.h"

namespace vgpu {
namespace {

/// No device has so much shared memory; hostile sizes stop here, and sums cannot overflow.
constexpr std::uint64_t kMostSharedBytes = std::uint64_t{16} << 20;

/// Calls nested deeper than this are taken for endless recursion.
constexpr std::size_t kDeepestCalls = 1000;

std::uint32_t aligned_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

void for_each_symbol(const ptx::Operand& operand, const std::function<void(std::string_view)>& visit) {
  if (operand.kind == ptx::Operand::Kind::kSymbol && operand.index == ptx::Operand::kNotLocal) visit(operand.name);
  for (const ptx::Operand& element : operand.elements) for_each_symbol(element, visit);
}

/// The special register that tells where the scratch memory of cooperative groups is.
constexpr std::string_view kGroupScratchRegister = "%reserved_smem_offset_1";

bool asks_for_group_scratch(const ptx::Instruction& instruction) {
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [](const ptx::Operand& operand) {
    return operand.kind == ptx::Operand::Kind::kSpecial && operand.name == kGroupScratchRegister;
  });
}

/// The operand of a call that names what is called: behind the list of results, if there is one.
const ptx::Operand* callee_of(const ptx::Instruction& call) {
  for (const ptx::Operand& operand : call.operands)
    if (operand.kind != ptx::Operand::Kind::kVector) return &operand;
  return nullptr;
}

}  // namespace

Kernel::Kernel(const ptx::Module& module, const ptx::Function& function,
               const std::map<std::string, std::uint64_t, std::less<>>& addresses, bool monitored)
    : module_(module),
      function_(&function),
      readable_name_(readable_function_name(function.name)),
      fingerprint_(std::hash<std::string>()(*module.text)),
      addresses_(addresses) {
  for (const ptx::Function& f : module_.functions)
    if (f.has_body) names_.functions[f.name] = &f;
  find_reachable();
  lay_out_shared();
  names_.addresses = addresses;
  for (const ptx::Variable& variable : module_.variables)
    if (variable.space == ptx::Space::kConst &&
        (names_.constants == 0 || addresses.at(variable.name) < names_.constants))
      names_.constants = addresses.at(variable.name);
  std::uint32_t number = 0;
  for (const ptx::Function* f : reachable_) {
    codes_[f] = decode(module_, *f, names_, monitored);
    codes_[f]->first_number = number;
    number += static_cast<std::uint32_t>(codes_[f]->insns.size());
    Translation::prepare(*codes_[f], monitored);
  }
  link_calls();
}

/// Every call finds its callee's code; what it passes and gets back must lie in the caller's own local memory.
void Kernel::link_calls() {
  const auto fits = [](const std::vector<std::uint32_t>& offsets, const std::vector<ptx::Parameter>& parameters,
                       const Code& caller) {
    if (offsets.size() != parameters.size()) return false;
    for (std::size_t i = 0; i < offsets.size(); ++i)
      if (std::uint64_t{offsets[i]} + parameters[i].bytes > caller.local_bytes) return false;
    return true;
  };
  for (const auto& [f, code] : codes_) {
    for (CallSite& site : code->call_sites) {
      if (site.callee == nullptr) continue;
      const auto callee = codes_.find(site.callee);
      if (callee == codes_.end() || site.callee->is_kernel)
        throw Refusal{"a call of the kernel " + site.callee->name + " from device code", f->line, {}, 0};
      if (!fits(site.arguments, site.callee->parameters, *code) || !fits(site.results, site.callee->results, *code))
        throw Refusal{
            "a call of " + site.callee->name + " with arguments that do not match its parameters", f->line, {}, 0};
      site.code = callee->second.get();
    }
  }
}

void Kernel::find_reachable() {
  std::set<const ptx::Function*> seen{function_};
  reachable_.push_back(function_);
  const auto reach = [&](const ptx::Function* f) {
    if (!f->is_kernel && seen.insert(f).second) reachable_.push_back(f);
  };
  for (std::size_t i = 0; i < reachable_.size(); ++i) {
    for (const ptx::Instruction& instruction : reachable_[i]->body) {
      for (const ptx::Operand& operand : instruction.operands)
        for_each_symbol(operand, [&](std::string_view name) {
          if (const auto found = names_.functions.find(name); found != names_.functions.end()) reach(found->second);
        });
      const bool indirect = instruction.opcode == "call" && callee_of(instruction) != nullptr &&
                            callee_of(instruction)->kind == ptx::Operand::Kind::kRegister;
      if (indirect && !calls_indirectly_) {
        calls_indirectly_ = true;  // any function of the module may be behind the pointer
        for (const ptx::Function& f : module_.functions)
          if (f.has_body) reach(&f);
      }
    }
  }
}

void Kernel::lay_out_shared() {
  std::set<std::string_view> used;
  for (const ptx::Function* f : reachable_)
    for (const ptx::Instruction& instruction : f->body) {
      for (const ptx::Operand& operand : instruction.operands)
        for_each_symbol(operand, [&](std::string_view name) { used.insert(name); });
      has_group_scratch_ |= asks_for_group_scratch(instruction);
    }
  if (has_group_scratch_) {
    names_.shared.emplace(kGroupScratchRegister, kGroupScratch);
    shared_arrays_.push_back({"cooperative groups' scratch memory", kGroupScratch, kSharedBase - kGroupScratch});
  }

  std::uint32_t end = kSharedBase;
  std::uint32_t packed = 0;
  std::vector<const ptx::Variable*> dynamic;
  const auto place = [&](const ptx::Variable& variable) {
    if (end + variable.bytes > kMostSharedBytes)
      throw Refusal{"more than 16 MiB of shared memory", function_->line, {}, 0};
    const std::uint32_t align = std::max(variable.align, 1u);
    end = aligned_up(end, align);
    packed = aligned_up(packed, align) + static_cast<std::uint32_t>(variable.bytes);
    const std::uint32_t offset = end;
    shared_arrays_.push_back({variable.name, offset, static_cast<std::uint32_t>(variable.bytes)});
    end = aligned_up(end + static_cast<std::uint32_t>(variable.bytes), kSharedRedZone) + kSharedRedZone;
    return offset;
  };
  for (const ptx::Variable& variable : module_.variables) {
    if (variable.space != ptx::Space::kShared || used.count(variable.name) == 0) continue;
    if (variable.bytes == 0) {
      dynamic.push_back(&variable);
    } else {
      names_.shared[variable.name] = place(variable);
    }
  }
  for (const ptx::Function* f : reachable_)
    for (std::uint32_t v = 0; v < f->variables.size(); ++v)
      if (f->variables[v].space == ptx::Space::kShared) names_.function_shared[{f, v}] = place(f->variables[v]);

  // ptxas rounds up to the alignment of every dynamic array of the module, whether this kernel uses it or not
  // (CUDA 13.0).
  for (const ptx::Variable& variable : module_.variables)
    if (variable.space == ptx::Space::kShared && variable.bytes == 0)
      packed = aligned_up(packed, std::max(variable.align, 1u));
  shared_bytes_ = packed;
  dynamic_offset_ = aligned_up(end, 1024);  // dynamic arrays may ask for any alignment up to 1,024 bytes
  for (const ptx::Variable* variable : dynamic) {
    names_.shared[variable->name] = dynamic_offset_;
    shared_arrays_.push_back({variable->name, dynamic_offset_, 0});
  }
}

const Code* Kernel::code_at(std::uint64_t address) const {
  for (const auto& [function, code] : codes_)
    if (const auto found = addresses_.find(function->name); found != addresses_.end() && found->second == address)
      return code.get();
  return nullptr;
}

std::vector<const Code*> Kernel::all_code() const {
  std::vector<const Code*> all;
  for (const ptx::Function* f : reachable_) all.push_back(codes_.at(f).get());
  return all;
}

std::uint32_t Kernel::local_bytes(std::uint32_t stack_bytes) const {
  // Our frames hold parameters that the hardware keeps in registers; four times its stack holds at least as deep a
  // recursion.
  const std::uint32_t unknown_depth = 4 * stack_bytes;
  if (calls_indirectly_) return code().local_bytes + unknown_depth;
  std::set<const Code*> path;
  std::map<const Code*, std::uint32_t> known;
  bool recursive = false;
  const std::function<std::uint32_t(const Code&)> depth = [&](const Code& code) -> std::uint32_t {
    if (const auto found = known.find(&code); found != known.end()) return found->second;
    if (path.size() == kDeepestCalls || !path.insert(&code).second) {
      recursive = true;
      return 0;
    }
    std::uint32_t deepest = 0;
    for (const CallSite& site : code.call_sites)
      if (site.code != nullptr) deepest = std::max(deepest, depth(*site.code));
    path.erase(&code);
    return known[&code] = code.local_bytes + deepest;
  };
  const std::uint32_t bytes = depth(code());
  return recursive ? bytes + unknown_depth : bytes;
}

}  // namespace vgpu
