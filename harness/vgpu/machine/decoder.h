// Decoding a whole function: PTX in, Code out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/code.h"
#include "harness/vgpu/ptx/module.h"

namespace vgpu {

/// What names outside a function stand for; filled by whoever loads the module and lays out the kernel.
struct NameTable {
  std::map<std::string, std::uint64_t, std::less<>>
      addresses;                ///< .global and .const variables, and functions, of the module
  std::uint64_t constants = 0;  ///< where the first .const variable lies: what 32 bits of their addresses count from
  std::map<std::string_view, const ptx::Function*> functions;  ///< those with a body
  std::map<std::string, std::uint32_t, std::less<>> shared;    ///< module-level .shared variables
  std::map<std::pair<const ptx::Function*, std::uint32_t>, std::uint32_t> function_shared;  ///< function-level ones
};

/// Decodes `function` for use in a kernel. Throws Refusal where it holds something the virtual GPU does not execute.
/// `monitored` chooses handlers that report every memory access.
std::unique_ptr<Code> decode(const ptx::Module& module, const ptx::Function& function, const NameTable& names,
                             bool monitored);

/// State of one decode; builders talk to it.
class FunctionDecoder {
 public:
  FunctionDecoder(const ptx::Module& module, const ptx::Function& function, const NameTable& names, bool monitored);

  std::unique_ptr<Code> run();

  // For Builder.
  std::uint32_t constant_index(std::uint64_t bits, SlotSize size);
  std::uint32_t special_index(Special special);
  std::uint32_t scratch_register(SlotSize size);
  std::uint32_t local_offset(std::uint32_t variable) const { return variable_offsets_[variable]; }
  void append(const Insn& insn, std::vector<SlotReference> references);
  void add_reference(SlotReference reference) { references_.push_back(reference); }

  const ptx::Module& module;
  const ptx::Function& function;
  const NameTable& names;
  const bool monitored;
  std::unique_ptr<Code> code;

 private:
  struct Constant {
    std::uint64_t bits;
    SlotSize size;
  };

  void check_branch_lists();
  void lay_out_local_memory();
  void emit_body();
  void link_branches();
  void assign_slots();
  void list_operand(const SlotReference& reference, std::uint32_t offset);

  std::vector<std::uint32_t> variable_offsets_;  ///< in local memory, of each function variable that lives there
  std::vector<SlotSize> register_sizes_;         ///< declared registers, then scratch ones
  std::vector<Constant> constants_;
  std::map<std::pair<std::uint64_t, SlotSize>, std::uint32_t> constant_indices_;
  std::vector<Special> specials_;
  std::vector<SlotReference> references_;
  std::vector<std::uint32_t> first_insn_;     ///< of each PTX instruction, and of the end
  std::vector<std::uint32_t> meeting_point_;  ///< of each PTX instruction that branches: where its ways meet
  std::uint32_t current_ = 0;                 ///< PTX instruction being decoded
};

}  // namespace vgpu
