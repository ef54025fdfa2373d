#include "harness/vgpu/machine/builder.h"

#include <cstring>

#include "harness/vgpu/machine/decoder.h"

namespace vgpu {
namespace {

struct SpecialName {
  std::string_view name;
  Special which;
};

constexpr SpecialName kSpecials[] = {
    {"%tid.x", Special::kTidX},
    {"%tid.y", Special::kTidY},
    {"%tid.z", Special::kTidZ},
    {"%ntid.x", Special::kNtidX},
    {"%ntid.y", Special::kNtidY},
    {"%ntid.z", Special::kNtidZ},
    {"%ctaid.x", Special::kCtaidX},
    {"%ctaid.y", Special::kCtaidY},
    {"%ctaid.z", Special::kCtaidZ},
    {"%nctaid.x", Special::kNctaidX},
    {"%nctaid.y", Special::kNctaidY},
    {"%nctaid.z", Special::kNctaidZ},
    {"%clusterid.x", Special::kClusteridX},
    {"%clusterid.y", Special::kClusteridY},
    {"%clusterid.z", Special::kClusteridZ},
    {"%nclusterid.x", Special::kNclusteridX},
    {"%nclusterid.y", Special::kNclusteridY},
    {"%nclusterid.z", Special::kNclusteridZ},
    {"%cluster_ctaid.x", Special::kClusterCtaidX},
    {"%cluster_ctaid.y", Special::kClusterCtaidY},
    {"%cluster_ctaid.z", Special::kClusterCtaidZ},
    {"%cluster_nctaid.x", Special::kClusterNctaidX},
    {"%cluster_nctaid.y", Special::kClusterNctaidY},
    {"%cluster_nctaid.z", Special::kClusterNctaidZ},
    {"%cluster_ctarank", Special::kClusterCtarank},
    {"%cluster_nctarank", Special::kClusterNctarank},
    {"%is_explicit_cluster", Special::kIsExplicitCluster},
    {"%laneid", Special::kLaneid},
    {"%warpid", Special::kWarpid},
    {"%nwarpid", Special::kNwarpid},
    {"%smid", Special::kSmid},
    {"%nsmid", Special::kNsmid},
    {"%gridid", Special::kGridid},
    {"%lanemask_eq", Special::kLanemaskEq},
    {"%lanemask_le", Special::kLanemaskLe},
    {"%lanemask_lt", Special::kLanemaskLt},
    {"%lanemask_ge", Special::kLanemaskGe},
    {"%lanemask_gt", Special::kLanemaskGt},
    {"%dynamic_smem_size", Special::kDynamicSharedBytes},
    {"%total_smem_size", Special::kTotalSharedBytes},
    {"%aggr_smem_size", Special::kTotalSharedBytes},
    {"%envreg1", Special::kGridWorkspaceHigh},
    {"%envreg2", Special::kGridWorkspaceLow},
};

std::size_t parts_in(const std::vector<ptx::Operand>& operands) {
  std::size_t parts = 0;
  for (const ptx::Operand& operand : operands) parts += (operand.part.empty() ? 0 : 1) + parts_in(operand.elements);
  return parts;
}

}  // namespace

std::uint32_t bytes_of(SlotSize size) {
  switch (size) {
    case SlotSize::kMask:
      return 4;
    case SlotSize::k16:
      return 2 * kLanes;
    case SlotSize::k32:
      return 4 * kLanes;
    case SlotSize::k64:
      return 8 * kLanes;
    case SlotSize::k128:
      return 16 * kLanes;
  }
  return 0;
}

SlotSize slot_for(ptx::Type type) {
  if (type == ptx::Type::kPred) return SlotSize::kMask;
  switch (ptx::size_of(type)) {
    case 1:
    case 2:
      return SlotSize::k16;
    case 4:
      return SlotSize::k32;
    case 16:
      return SlotSize::k128;
    default:
      return SlotSize::k64;
  }
}

Builder::Builder(FunctionDecoder& decoder, const ptx::Instruction& instruction)
    : decoder_(decoder), instruction_(instruction), taken_(instruction.modifiers.size(), false) {}

void Builder::refuse(const std::string& what) const {
  const ptx::SourcePlace place = ptx::place_of(decoder_.module, instruction_.location);
  throw Refusal{what, instruction_.line, place.file, place.line};
}

std::string Builder::spelled() const {
  std::string text(instruction_.opcode);
  for (const std::string_view modifier : instruction_.modifiers) text.append(".").append(modifier);
  return text;
}

void Builder::finish() const {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i]) refuse("the modifier ." + std::string(instruction_.modifiers[i]) + " of " + spelled());
  if (parts_in(instruction_.operands) != parts_taken_) refuse(spelled() + " with a part of a register");
  for (const ptx::Operand& operand : instruction_.operands)
    if (operand.kind == ptx::Operand::Kind::kAddress && operand.elements.size() > 1 && !coordinates_taken_)
      refuse(spelled() + " with coordinates");
}

bool Builder::is_in_kernel() const { return decoder_.function.is_kernel; }

std::uint64_t Builder::constants() const { return decoder_.names.constants; }

std::uint32_t Builder::parameter_bytes() const { return decoder_.function.parameter_bytes; }

bool Builder::monitored() const { return decoder_.monitored; }

bool Builder::take(std::string_view modifier) {
  for (std::size_t i = 0; i < taken_.size(); ++i)
    if (!taken_[i] && instruction_.modifiers[i] == modifier) return taken_[i] = true;
  return false;
}

int Builder::take_one_of(std::initializer_list<std::string_view> modifiers) {
  int n = 0;
  for (const std::string_view modifier : modifiers) {
    if (take(modifier)) return n;
    ++n;
  }
  return -1;
}

ptx::Type Builder::take_type_if_any() {
  for (std::size_t i = 0; i < taken_.size(); ++i) {
    if (taken_[i]) continue;
    const ptx::Type type = ptx::type_named(instruction_.modifiers[i]);
    if (type == ptx::Type::kNone) continue;
    taken_[i] = true;
    return type;
  }
  return ptx::Type::kNone;
}

ptx::Type Builder::take_type() {
  const ptx::Type type = take_type_if_any();
  if (type == ptx::Type::kNone) refuse(spelled() + ": no type");
  return type;
}

ptx::Space Builder::take_space() {
  if (take("global")) return ptx::Space::kGlobal;
  if (take("shared") || take("shared::cta") || take("shared::cluster")) return ptx::Space::kShared;
  if (take("local")) return ptx::Space::kLocal;
  if (take("const")) return ptx::Space::kConst;
  if (take("param") || take("param::entry") || take("param::func")) return ptx::Space::kParam;
  return ptx::Space::kGeneric;
}

const ptx::Operand& Builder::operand(std::size_t n) const {
  if (n >= instruction_.operands.size())
    refuse(spelled() + " with " + std::to_string(instruction_.operands.size()) + " operands");
  return instruction_.operands[n];
}

ptx::Type Builder::register_type(const ptx::Operand& operand) const {
  return is_register(operand) ? decoder_.function.registers[operand.index].type : ptx::Type::kNone;
}

std::vector<const ptx::Operand*> Builder::take_coordinates(const ptx::Operand& address) {
  if (address.kind != ptx::Operand::Kind::kAddress || address.elements.size() != 2)
    refuse(spelled() + " without coordinates");
  coordinates_taken_ = true;
  const ptx::Operand& coordinates = address.elements[1];
  if (coordinates.kind != ptx::Operand::Kind::kVector) return {&coordinates};
  std::vector<const ptx::Operand*> list;
  for (const ptx::Operand& element : coordinates.elements) list.push_back(&element);
  return list;
}

std::string_view Builder::take_part(const ptx::Operand& operand) {
  parts_taken_ += operand.part.empty() ? 0 : 1;
  return operand.part;
}

bool Builder::is_predicate(const ptx::Operand& operand) const { return register_type(operand) == ptx::Type::kPred; }

void Builder::reference(std::uint32_t& where, SlotReference reference) {
  const auto begin = reinterpret_cast<std::uintptr_t>(&insn);
  const auto at = reinterpret_cast<std::uintptr_t>(&where);
  if (at >= begin && at < begin + sizeof insn) {
    reference.insn_byte = static_cast<std::uint32_t>(at - begin);
  } else {
    reference.list_entry = &where;
  }
  pending_.emplace_back(reference, &where);
}

std::uint64_t Builder::immediate_bits(const ptx::Operand& operand, SlotSize size) const {
  using Immediate = ptx::Operand::Immediate;
  if (operand.immediate == Immediate::kFloat64 && size == SlotSize::k32) {
    double wide;
    std::memcpy(&wide, &operand.bits, sizeof wide);
    const auto narrow = static_cast<float>(wide);
    std::uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof bits);
    return bits;
  }
  if (operand.immediate == Immediate::kFloat32 && size == SlotSize::k64) {
    const auto narrow_bits = static_cast<std::uint32_t>(operand.bits);
    float narrow;
    std::memcpy(&narrow, &narrow_bits, sizeof narrow);
    const double wide = narrow;
    std::uint64_t bits;
    std::memcpy(&bits, &wide, sizeof bits);
    return bits;
  }
  return operand.bits;
}

void Builder::constant(std::uint32_t& where, std::uint64_t bits, SlotSize size) {
  SlotReference constant{SlotReference::Of::kConstant};
  constant.which = decoder_.constant_index(bits, size);
  reference(where, constant);
}

std::uint32_t Builder::scratch(SlotSize size) { return decoder_.scratch_register(size); }

void Builder::read_scratch(std::uint32_t& where, std::uint32_t scratch) {
  SlotReference reg{SlotReference::Of::kRegister};
  reg.which = scratch;
  reference(where, reg);
}

void Builder::write_scratch(std::uint32_t& where, std::uint32_t scratch) {
  SlotReference reg{SlotReference::Of::kRegister};
  reg.is_definition = true;
  reg.which = scratch;
  reference(where, reg);
}

SlotSize Builder::read_any(std::uint32_t& where, const ptx::Operand& operand, SlotSize size_of_immediate) {
  switch (operand.kind) {
    case ptx::Operand::Kind::kRegister: {
      if (operand.negated && !is_predicate(operand)) refuse("a negated operand of " + spelled());
      SlotReference reg{SlotReference::Of::kRegister};
      reg.which = operand.index;
      reference(where, reg);
      return slot_for(register_type(operand));
    }
    case ptx::Operand::Kind::kImmediate:
      if (operand.immediate != ptx::Operand::Immediate::kInteger && size_of_immediate != SlotSize::k32 &&
          size_of_immediate != SlotSize::k64)
        refuse("a floating-point literal of " + spelled());  // PTX writes those of half precision as integers
      constant(where, immediate_bits(operand, size_of_immediate), size_of_immediate);
      return size_of_immediate;
    case ptx::Operand::Kind::kSpecial:
      for (const SpecialName& row : kSpecials) {
        if (operand.name != row.name) continue;
        SlotReference special{SlotReference::Of::kSpecial};
        special.which = decoder_.special_index(row.which);
        reference(where, special);
        return row.which == Special::kGridid ? SlotSize::k64 : SlotSize::k32;
      }
      if (const auto place = decoder_.names.shared.find(operand.name); place != decoder_.names.shared.end()) {
        constant(where, place->second, SlotSize::k32);
        return SlotSize::k32;
      }
      if (operand.name.substr(0, 7) == "%envreg") {  // the others are 0 under the CUDA driver
        constant(where, 0, SlotSize::k32);
        return SlotSize::k32;
      }
      refuse("the special register " + std::string(operand.name));
    default:
      refuse("an operand of " + spelled() + " that is neither a register nor a number");
  }
}

void Builder::read(std::uint32_t& where, const ptx::Operand& operand, SlotSize size) {
  if (operand.negated) refuse("a negated operand of " + spelled());
  if (read_any(where, operand, size) != size) refuse(spelled() + " with a register of another size");
}

SlotSize Builder::write_any(std::uint32_t& where, const ptx::Operand& operand, SlotSize size_of_sink) {
  if (operand.negated) refuse("a negated result of " + spelled());
  SlotReference reg{SlotReference::Of::kRegister};
  reg.is_definition = true;
  SlotSize size = size_of_sink;
  if (operand.kind == ptx::Operand::Kind::kSink) {
    reg.which = decoder_.scratch_register(size_of_sink);
  } else if (is_register(operand)) {
    reg.which = operand.index;
    size = slot_for(register_type(operand));
  } else {
    refuse("a destination of " + spelled() + " that is not a register");
  }
  reference(where, reg);
  return size;
}

void Builder::write(std::uint32_t& where, const ptx::Operand& operand, SlotSize size) {
  if (write_any(where, operand, size) != size) refuse(spelled() + " into a register of another size");
}

void Builder::read_predicate(std::uint32_t& where, Mask& flip, const ptx::Operand& operand) {
  if (operand.kind == ptx::Operand::Kind::kImmediate) {
    constant(where, operand.bits != 0 ? kAllLanes : 0, SlotSize::kMask);
  } else {
    if (!is_predicate(operand)) refuse(spelled() + " with an operand that is not a predicate");
    read_any(where, operand, SlotSize::kMask);
  }
  flip = operand.negated ? kAllLanes : 0;
}

std::vector<std::uint32_t>& Builder::operand_list(std::size_t count) {
  return decoder_.code->operand_lists.emplace_back(count, 0u);
}

void Builder::keep(std::shared_ptr<void> storage) { decoder_.code->kept.push_back(std::move(storage)); }

CallSite& Builder::call_site() { return decoder_.code->call_sites.emplace_back(); }

SystemFunction Builder::system_function(const ptx::Operand& operand) const {
  return decoder_.names.functions.count(operand.name) != 0 ? SystemFunction::kNone
                                                           : system_function_named(operand.name);
}

void Builder::emit(Handler handler) {
  insn.run = handler;
  if (instruction_.guarded) {
    SlotReference guard{SlotReference::Of::kRegister};
    guard.which = instruction_.guard;
    reference(insn.guard, guard);
    insn.guard_flip = instruction_.guard_negated ? kAllLanes : 0;
    if (decoder_.function.registers[instruction_.guard].type != ptx::Type::kPred)
      refuse("a guard that is not a predicate");
  }
  std::vector<SlotReference> references;
  references.reserve(pending_.size());
  for (const auto& [reference, where] : pending_) references.push_back(reference);
  pending_.clear();
  decoder_.append(insn, std::move(references));
  insn = Insn{};
}

Builder::Symbol Builder::symbol(const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::kSymbol) refuse("an operand of " + spelled() + " that is not a name");
  const auto plus = [&](std::uint64_t value) { return value + static_cast<std::uint64_t>(operand.offset); };
  const ptx::Function& function = decoder_.function;
  if (operand.index != ptx::Operand::kNotLocal) {
    const ptx::Variable& variable = function.variables[operand.index];
    if (variable.space == ptx::Space::kShared)
      return {Symbol::Kind::kShared, plus(decoder_.names.function_shared.at({&function, operand.index}))};
    return {Symbol::Kind::kLocal, plus(decoder_.local_offset(operand.index))};
  }
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    if (function.parameters[i].name != operand.name) continue;
    if (function.is_kernel) return {Symbol::Kind::kKernelParameter, plus(function.parameters[i].offset)};
    return {Symbol::Kind::kLocal, plus(decoder_.code->parameter_offsets[i])};
  }
  for (std::size_t i = 0; i < function.results.size(); ++i)
    if (function.results[i].name == operand.name) return {Symbol::Kind::kLocal, plus(decoder_.code->result_offsets[i])};
  if (const auto found = decoder_.names.shared.find(operand.name); found != decoder_.names.shared.end())
    return {Symbol::Kind::kShared, plus(found->second)};
  if (const auto found = decoder_.names.addresses.find(operand.name); found != decoder_.names.addresses.end()) {
    const auto target = decoder_.names.functions.find(operand.name);
    if (target == decoder_.names.functions.end()) return {Symbol::Kind::kAddress, plus(found->second), nullptr};
    return {Symbol::Kind::kFunction, plus(found->second), target->second};
  }
  refuse("the name " + std::string(operand.name) + ", which the module does not define");
}

}  // namespace vgpu
