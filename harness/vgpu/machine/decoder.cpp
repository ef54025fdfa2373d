#include "harness/vgpu/machine/decoder.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "harness/vgpu/machine/control_flow.h"
#include "harness/vgpu/machine/known_bases.h"
#include "harness/vgpu/machine/slots.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {
namespace {

/// Hostile programs stop here; real ones stay far below.
constexpr std::uint64_t kMostLocalBytes = std::uint64_t{1} << 20;  // of a thread, in one function
constexpr std::uint64_t kMostFrameBytes = std::uint64_t{1} << 28;  // of a warp's registers, in one function
constexpr std::uint64_t kMostBranchWays = std::uint64_t{1} << 20;  // of all brx of a function together

/// What to do instead, or why it is not there.
std::string hint_for(std::string_view opcode) {
  const std::string instead = "; mma.sync and nvcuda::wmma are there)";
  if (opcode == "wgmma") return " (asynchronous products of a warp group" + instead;
  return opcode == "tcgen05" ? " (tensor cores of Blackwell" + instead : "";
}

std::uint32_t round_up(std::uint32_t value, std::uint32_t unit) { return (value + unit - 1) / unit * unit; }

/// Where each branch's ways meet: the first instruction of the block that post-dominates it.
std::vector<std::uint32_t> meeting_points(const ptx::Function& function, const ControlFlow& flow) {
  std::vector<std::uint32_t> points(function.body.size(), kNoInstruction);
  for (std::uint32_t i = 0; i < points.size(); ++i) {
    const ptx::Instruction& instruction = function.body[i];
    const bool may_diverge = (instruction.opcode == "bra" && instruction.guarded) || instruction.opcode == "brx";
    const std::uint32_t block = flow.meeting_block[flow.block_of[i]];
    if (may_diverge && block != kNoInstruction) points[i] = flow.blocks[block].begin;
  }
  return points;
}

}  // namespace

FunctionDecoder::FunctionDecoder(const ptx::Module& m, const ptx::Function& f, const NameTable& n, bool watch)
    : module(m), function(f), names(n), monitored(watch), code(std::make_unique<Code>()) {
  code->module = &m;
  code->function = &f;
  for (const ptx::Register& reg : f.registers) register_sizes_.push_back(slot_for(reg.type));
}

std::unique_ptr<Code> FunctionDecoder::run() {
  lay_out_local_memory();
  check_branch_lists();
  emit_body();
  link_branches();
  assign_slots();
  find_shared_bases(*code, references_);
  return std::move(code);
}

void FunctionDecoder::lay_out_local_memory() {
  std::uint32_t end = 0;
  const auto place = [&](std::uint64_t bytes, std::uint32_t align) {
    end = round_up(end, std::max(align, 1u));
    const std::uint32_t offset = end;
    if (end + bytes > kMostLocalBytes)
      throw Refusal{"more than 1 MiB of local memory per thread", function.line, {}, 0};
    end += static_cast<std::uint32_t>(bytes);
    return offset;
  };
  if (!function.is_kernel) {
    for (const ptx::Parameter& p : function.results) code->result_offsets.push_back(place(p.bytes, p.align));
    for (const ptx::Parameter& p : function.parameters) code->parameter_offsets.push_back(place(p.bytes, p.align));
  }
  for (const ptx::Variable& variable : function.variables)
    variable_offsets_.push_back(variable.space == ptx::Space::kShared ? 0 : place(variable.bytes, variable.align));
  // A call takes some of the stack even where it keeps nothing there, so that endless recursion ends.
  if (!function.is_kernel) end = std::max(end, 16u);
  code->local_bytes = round_up(end, 16);
}

/// Every brx must name a list of this function whose entries are all labels of its outermost scope.
void FunctionDecoder::check_branch_lists() {
  std::uint64_t ways = 0;
  for (const ptx::Instruction& instruction : function.body) {
    if (instruction.opcode != "brx") continue;
    const Builder builder(*this, instruction);
    const auto list = instruction.operands.size() == 2 ? function.branch_targets.find(instruction.operands[1].name)
                                                       : function.branch_targets.end();
    if (list == function.branch_targets.end()) builder.refuse("a brx without a list of its targets");
    for (const std::string_view name : list->second)
      if (function.labels.find(name) == function.labels.end())
        builder.refuse("a brx to " + std::string(name) + ", which is not a label of the outermost scope");
    ways += list->second.size();
    if (ways > kMostBranchWays) builder.refuse("a function with more than a million branch targets");
  }
}

void FunctionDecoder::emit_body() {
  const ControlFlow flow = analyse_control_flow(function);
  meeting_point_ = meeting_points(function, flow);
  std::vector<bool> is_meeting_point(function.body.size(), false);
  for (const std::uint32_t point : meeting_point_)
    if (point != kNoInstruction) is_meeting_point[point] = true;

  for (current_ = 0; current_ < function.body.size(); ++current_) {
    const ptx::Instruction& instruction = function.body[current_];
    first_insn_.push_back(static_cast<std::uint32_t>(code->insns.size()));
    if (is_meeting_point[current_]) {
      Insn meet;
      meet.run = meeting_handler();
      append(meet, {});
    }
    Builder builder(*this, instruction);
    const OpcodeRow* const row = find_opcode(instruction.opcode);
    if (row == nullptr) builder.refuse("the instruction " + builder.spelled() + hint_for(instruction.opcode));
    row->build(builder);
    builder.finish();
  }
  first_insn_.push_back(static_cast<std::uint32_t>(code->insns.size()));
  if (current_ > 0) --current_;  // control that runs off the end returns: shown at the last instruction
  Insn end;
  end.run = return_handler();
  append(end, {});
}

void FunctionDecoder::append(const Insn& insn, std::vector<SlotReference> references) {
  const auto index = static_cast<std::uint32_t>(code->insns.size());
  code->insns.push_back(insn);
  code->insns.back().index = index;
  code->insns.back().source = current_;
  for (SlotReference& reference : references) {
    reference.insn = index;
    references_.push_back(reference);
  }
}

void FunctionDecoder::link_branches() {
  std::map<std::string_view, std::vector<const Insn*>*> lists;  // instructions with the same targets share one
  for (Insn& insn : code->insns) {
    if (insn.source >= function.body.size() || (insn.run == meeting_handler() || insn.run == return_handler()))
      continue;
    const std::vector<std::uint32_t> targets = branch_targets(function, function.body[insn.source]);
    if (targets.empty()) continue;
    if (function.body[insn.source].opcode == "brx") {
      std::vector<const Insn*>*& list = lists[function.body[insn.source].operands[1].name];
      if (list == nullptr) {
        list = &code->target_lists.emplace_back();
        for (const std::uint32_t t : targets) list->push_back(&code->insns[first_insn_[t]]);
      }
      insn.extra = list;
    } else {
      insn.target = &code->insns[first_insn_[targets[0]]];
    }
    // The offset of a branch is the index of the instruction where its ways meet.
    const std::uint32_t meeting = meeting_point_[insn.source];
    insn.offset = meeting == kNoInstruction ? -1 : static_cast<std::int64_t>(first_insn_[meeting]);
  }
}

std::uint32_t FunctionDecoder::constant_index(std::uint64_t bits, SlotSize size) {
  const auto [found, is_new] = constant_indices_.emplace(std::make_pair(bits, size), constants_.size());
  if (is_new) constants_.push_back({bits, size});
  return found->second;
}

std::uint32_t FunctionDecoder::special_index(Special special) {
  const auto found = std::find(specials_.begin(), specials_.end(), special);
  if (found != specials_.end()) return static_cast<std::uint32_t>(found - specials_.begin());
  specials_.push_back(special);
  return static_cast<std::uint32_t>(specials_.size() - 1);
}

std::uint32_t FunctionDecoder::scratch_register(SlotSize size) {
  register_sizes_.push_back(size);
  return static_cast<std::uint32_t>(register_sizes_.size() - 1);
}

/// A frame: [all-ones mask][predicates][constants][special registers][registers]. Constants and special registers are
/// written when a frame is made; everything else is for the registers, which share slots where their lives do not
/// overlap.
void FunctionDecoder::assign_slots() {
  const SlotAssignment slots = assign_register_slots(*code, register_sizes_, references_);
  std::uint64_t frame_bytes = std::uint64_t{slots.mask_bytes} + slots.register_bytes;
  for (const Constant& constant : constants_) frame_bytes += bytes_of(constant.size) + 64u;
  if (frame_bytes > kMostFrameBytes)
    throw Refusal{"more than 256 MiB of registers and constants per warp", function.line, {}, 0};
  std::uint32_t end = round_up(slots.mask_bytes, 64);

  code->constants_offset = end;
  std::vector<std::uint32_t> constant_offsets;
  for (const Constant& constant : constants_) {
    constant_offsets.push_back(end);
    end = round_up(end + bytes_of(constant.size), 64);
  }
  code->constants.resize(end - code->constants_offset);
  for (std::size_t i = 0; i < constants_.size(); ++i) {
    const std::uint32_t lane_bytes = constants_[i].size == SlotSize::kMask ? 4 : bytes_of(constants_[i].size) / kLanes;
    std::byte* at = code->constants.data() + (constant_offsets[i] - code->constants_offset);
    for (std::uint32_t lane = 0; lane * lane_bytes < bytes_of(constants_[i].size); ++lane)
      std::memcpy(at + lane * lane_bytes, &constants_[i].bits, std::min<std::uint32_t>(lane_bytes, 8));
  }

  std::vector<std::uint32_t> special_offsets;
  for (const Special special : specials_) {
    const SlotSize size = special == Special::kGridid ? SlotSize::k64 : SlotSize::k32;
    code->specials.push_back({special, end, bytes_of(size) / kLanes});
    special_offsets.push_back(end);
    end += bytes_of(size);
  }

  const std::uint32_t registers_begin = end;
  code->frame_bytes = registers_begin + static_cast<std::uint32_t>(slots.register_bytes);
  for (const SlotReference& reference : references_) {
    std::uint32_t offset = 0;
    switch (reference.of) {
      case SlotReference::Of::kConstant:
        offset = constant_offsets[reference.which];
        break;
      case SlotReference::Of::kSpecial:
        offset = special_offsets[reference.which];
        break;
      case SlotReference::Of::kRegister:
        offset = slots.offsets[reference.which];
        if (register_sizes_[reference.which] != SlotSize::kMask) offset += registers_begin;
        break;
    }
    if (reference.list_entry != nullptr) {
      *reference.list_entry = offset;
    } else {
      std::memcpy(reinterpret_cast<std::byte*>(&code->insns[reference.insn]) + reference.insn_byte, &offset,
                  sizeof offset);
    }
    if (monitored) list_operand(reference, offset);
  }
  if (monitored) code->first_operand.resize(code->insns.size() + 1, static_cast<std::uint32_t>(code->operands.size()));
}

/// References come in the order of their instructions.
void FunctionDecoder::list_operand(const SlotReference& reference, std::uint32_t offset) {
  code->first_operand.resize(reference.insn + 1, static_cast<std::uint32_t>(code->operands.size()));
  if (reference.list_entry == nullptr && reference.insn_byte == offsetof(Insn, guard)) return;
  SlotSize size = SlotSize::k32;
  if (reference.of == SlotReference::Of::kConstant)
    size = constants_[reference.which].size;
  else if (reference.of == SlotReference::Of::kRegister)
    size = register_sizes_[reference.which];
  else if (specials_[reference.which] == Special::kGridid)
    size = SlotSize::k64;
  const std::uint32_t lane_bytes = size == SlotSize::kMask ? 0 : bytes_of(size) / kLanes;
  code->operands.push_back({offset, lane_bytes, reference.is_definition});
}

std::unique_ptr<Code> decode(const ptx::Module& module, const ptx::Function& function, const NameTable& names,
                             bool monitored) {
  return FunctionDecoder(module, function, names, monitored).run();
}

}  // namespace vgpu
