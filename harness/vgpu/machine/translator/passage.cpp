#include "harness/vgpu/machine/translator/passage.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_map>

#include "harness/vgpu/machine/builder.h"
#include "harness/vgpu/machine/known_bases.h"
#include "harness/vgpu/machine/warp.h"

namespace vgpu {
namespace {

constexpr std::size_t kMostSteps = 512;
constexpr std::size_t kMostPredicates = 4;  ///< written in a passage: each takes a mask register of the host

const std::unordered_map<std::string_view, Operation>& operations() {
  using O = Operation;
  static const std::unordered_map<std::string_view, Operation> kOperations = {
      {"mov.b32", O::kMove32},
      {"mov.u32", O::kMove32},
      {"mov.s32", O::kMove32},
      {"mov.f32", O::kMove32},
      {"mov.b64", O::kMove64},
      {"mov.u64", O::kMove64},
      {"mov.s64", O::kMove64},
      {"mov.f64", O::kMove64},
      {"cvta.to.global.u64", O::kAdd64},  // a window's begin: see build_cvta
      {"cvta.to.shared.u64", O::kAdd64},
      {"cvta.global.u64", O::kAdd64},
      {"cvta.shared.u64", O::kAdd64},
      {"add.s32", O::kAdd32},
      {"add.u32", O::kAdd32},
      {"sub.s32", O::kSubtract32},
      {"sub.u32", O::kSubtract32},
      {"mul.lo.s32", O::kMultiply32},
      {"mul.lo.u32", O::kMultiply32},
      {"mad.lo.s32", O::kMultiplyAdd32},
      {"mad.lo.u32", O::kMultiplyAdd32},
      {"mul.hi.s32", O::kMultiplyHighS32},
      {"mul.hi.u32", O::kMultiplyHighU32},
      {"min.s32", O::kMinimumS32},
      {"min.u32", O::kMinimumU32},
      {"max.s32", O::kMaximumS32},
      {"max.u32", O::kMaximumU32},
      {"abs.s32", O::kAbsolute32},
      {"neg.s32", O::kNegate32},
      {"and.b32", O::kAnd32},
      {"or.b32", O::kOr32},
      {"xor.b32", O::kXor32},
      {"not.b32", O::kNot32},
      {"shl.b32", O::kShiftLeft32},
      {"shr.b32", O::kShiftRightU32},
      {"shr.u32", O::kShiftRightU32},
      {"shr.s32", O::kShiftRightS32},
      {"shf.l.wrap.b32", O::kFunnelLeft32},
      {"shf.r.wrap.b32", O::kFunnelRight32},
      {"popc.b32", O::kCountOnes32},
      {"add.s64", O::kAdd64},
      {"add.u64", O::kAdd64},
      {"sub.s64", O::kSubtract64},
      {"sub.u64", O::kSubtract64},
      {"mul.lo.s64", O::kMultiply64},
      {"mul.lo.u64", O::kMultiply64},
      {"and.b64", O::kAnd64},
      {"or.b64", O::kOr64},
      {"xor.b64", O::kXor64},
      {"not.b64", O::kNot64},
      {"shl.b64", O::kShiftLeft64},
      {"shr.b64", O::kShiftRightU64},
      {"shr.u64", O::kShiftRightU64},
      {"shr.s64", O::kShiftRightS64},
      {"cvt.s64.s32", O::kWidenS32},
      {"cvt.u64.s32", O::kWidenS32},
      {"cvt.u64.u32", O::kWidenU32},
      {"cvt.s64.u32", O::kWidenU32},
      {"cvt.u32.u64", O::kNarrow64},
      {"cvt.u32.s64", O::kNarrow64},
      {"cvt.s32.u64", O::kNarrow64},
      {"cvt.s32.s64", O::kNarrow64},
      {"mul.wide.s32", O::kMultiplyWideS32},
      {"mul.wide.u32", O::kMultiplyWideU32},
      {"mad.wide.s32", O::kMultiplyAddWideS32},
      {"mad.wide.u32", O::kMultiplyAddWideU32},
      {"add.f32", O::kAddF32},
      {"add.rn.f32", O::kAddF32},
      {"sub.f32", O::kSubtractF32},
      {"sub.rn.f32", O::kSubtractF32},
      {"mul.f32", O::kMultiplyF32},
      {"mul.rn.f32", O::kMultiplyF32},
      {"div.rn.f32", O::kDivideF32},
      {"fma.rn.f32", O::kFusedMultiplyAddF32},
      {"sqrt.rn.f32", O::kSquareRootF32},
      {"abs.f32", O::kAbsoluteF32},
      {"neg.f32", O::kNegateF32},
      {"cvt.rn.f32.s32", O::kFloatFromS32},
      {"cvt.rn.f32.u32", O::kFloatFromU32},
      {"sub.f64", O::kSubtractF64},  // of the others, the interpreter leaves open which of two NaNs they give
      {"sub.rn.f64", O::kSubtractF64},
      {"selp.b32", O::kSelect32},
      {"selp.u32", O::kSelect32},
      {"selp.s32", O::kSelect32},
      {"selp.f32", O::kSelect32},
      {"selp.b64", O::kSelect64},
      {"selp.u64", O::kSelect64},
      {"selp.s64", O::kSelect64},
      {"selp.f64", O::kSelect64},
      {"and.pred", O::kAndPredicate},
      {"or.pred", O::kOrPredicate},
      {"xor.pred", O::kXorPredicate},
      {"not.pred", O::kNotPredicate},
      {"mov.pred", O::kMovePredicate},
  };
  return kOperations;
}

std::optional<Operation> comparison_of(std::string_view type) {
  if (type == "s32") return Operation::kCompareS32;
  if (type == "u32" || type == "b32") return Operation::kCompareU32;
  if (type == "f32") return Operation::kCompareF32;
  if (type == "s64") return Operation::kCompareS64;
  if (type == "u64" || type == "b64") return Operation::kCompareU64;
  return std::nullopt;
}

const std::unordered_map<std::string_view, Comparison>& comparisons() {
  using C = Comparison;
  static const std::unordered_map<std::string_view, Comparison> kComparisons = {
      {"eq", C::kEqual},        {"ne", C::kNotEqual},        {"lt", C::kLess},          {"le", C::kLessEqual},
      {"gt", C::kGreater},      {"ge", C::kGreaterEqual},    {"equ", C::kEqualOrNan},   {"neu", C::kNotEqualOrNan},
      {"ltu", C::kLessOrNan},   {"leu", C::kLessEqualOrNan}, {"gtu", C::kGreaterOrNan}, {"geu", C::kGreaterEqualOrNan},
      {"num", C::kBothNumbers}, {"nan", C::kAnyNan},
  };
  return kComparisons;
}

/// "mul.wide.s32"
std::string spelled(const ptx::Instruction& instruction) {
  std::string words(instruction.opcode);
  for (const std::string_view modifier : instruction.modifiers) words.append(".").append(modifier);
  return words;
}

int lane_bytes(const Code& code, const ptx::Operand& operand) {
  const SlotSize size = slot_for(code.function->registers[operand.index].type);
  return size == SlotSize::kMask ? 0 : static_cast<int>(bytes_of(size)) / kLanes;
}

/// Whether it is all of a register, or a number, in the slot that the operation takes; special registers that do not
/// change are in slots of 32 bits.
bool fits(const Code& code, const ptx::Operand& operand, int width) {
  using Kind = ptx::Operand::Kind;
  switch (operand.kind) {
    case Kind::kRegister:
      return operand.part.empty() && (!operand.negated || width == 0) && lane_bytes(code, operand) == width;
    case Kind::kImmediate:
      return width > 0;
    case Kind::kSpecial:
      return width == 4 && operand.name.find("clock") == std::string_view::npos &&
             operand.name.find("timer") == std::string_view::npos &&
             operand.name.find("gridid") == std::string_view::npos;
    default:
      return false;
  }
}

std::optional<Step> recognise_comparison(const ptx::Instruction& instruction, const Insn& insn) {
  if (instruction.modifiers.size() != 2) return std::nullopt;
  const std::optional<Operation> operation = comparison_of(instruction.modifiers[1]);
  const auto comparison = comparisons().find(instruction.modifiers[0]);
  if (!operation || comparison == comparisons().end()) return std::nullopt;
  if (*operation != Operation::kCompareF32 && comparison->second > Comparison::kGreaterEqual) return std::nullopt;
  return Step{*operation, comparison->second, &insn};
}

bool is_named_parameter(const Code& code, const ptx::Operand& address) {
  if (!code.function->is_kernel || address.kind != ptx::Operand::Kind::kAddress) return false;
  const ptx::Operand& base = address.elements.at(0);
  return base.kind == ptx::Operand::Kind::kSymbol && base.index == ptx::Operand::kNotLocal;
}

/// By which operation `bytes` go into a register, or into each of a vector.
std::optional<Operation> load_into(const Code& code, const ptx::Operand& to, int bytes) {
  using Kind = ptx::Operand::Kind;
  const auto takes = [&](const ptx::Operand& one) {
    return one.kind == Kind::kRegister && lane_bytes(code, one) == bytes;
  };
  if (bytes == 8) return takes(to) ? std::optional(Operation::kLoad64) : std::nullopt;
  if (bytes != 4) return std::nullopt;
  if (to.kind != Kind::kVector) return takes(to) ? std::optional(Operation::kLoad32) : std::nullopt;
  if (!std::all_of(to.elements.begin(), to.elements.end(), takes)) return std::nullopt;
  if (to.elements.size() == 2) return Operation::kLoad32x2;
  return to.elements.size() == 4 ? std::optional(Operation::kLoad32x4) : std::nullopt;
}

std::optional<Step> recognise_load(const Code& code, const ptx::Instruction& instruction, const Insn& insn,
                                   bool is_watched) {
  const auto has = [&](std::string_view modifier) { return ptx::has_modifier(instruction, modifier); };
  const ptx::Operand& to = instruction.operands.at(0);
  const ptx::Operand& from = instruction.operands.at(1);
  const int bytes = static_cast<int>(ptx::size_of(ptx::type_named(instruction.modifiers.back())));
  if (insn.b != 0 || instruction.guarded) return std::nullopt;
  const std::optional<Operation> load = load_into(code, to, bytes);
  if (!load) return std::nullopt;
  if (has("param")) {
    // If its place was not checked, it has one in `a`: see emit_named_parameter.
    if (insn.extra != nullptr || insn.a != 0 || !is_named_parameter(code, from)) return std::nullopt;
    return Step{bytes == 4 ? Operation::kParameter32 : Operation::kParameter64, Comparison::kEqual, &insn};
  }
  constexpr std::int64_t kFarthest = std::int64_t{1} << 30;  // sums of two fit the host's instructions
  const bool is_row = (insn.c & kTakesPart) != 0 && insn.offset % bytes_loaded(*load) == 0 &&
                      std::abs(insn.offset) <= kFarthest && (has("shared") || (has("global") && !is_watched));
  if (!is_row) return std::nullopt;
  return Step{*load, Comparison::kEqual, &insn};
}

bool is_alone(const Code& code, const Insn& insn) {
  const Insn* const all = code.insns.data();
  const auto is_of_same = [&](std::size_t index) {
    return index < code.insns.size() && all[index].source == insn.source && all[index].run != meeting_handler() &&
           all[index].run != return_handler();
  };
  return !is_of_same(std::size_t{insn.index} - 1) && !is_of_same(std::size_t{insn.index} + 1);
}

}  // namespace

OperandWidths widths_of(Operation operation) {
  using O = Operation;
  switch (operation) {
    case O::kMove32:
    case O::kAbsolute32:
    case O::kNegate32:
    case O::kNot32:
    case O::kCountOnes32:
    case O::kSquareRootF32:
    case O::kAbsoluteF32:
    case O::kNegateF32:
    case O::kFloatFromS32:
    case O::kFloatFromU32:
      return {4, 4, -1, -1};
    case O::kMove64:
    case O::kNot64:
      return {8, 8, -1, -1};
    case O::kMultiplyAdd32:
    case O::kFunnelLeft32:
    case O::kFunnelRight32:
    case O::kFusedMultiplyAddF32:
      return {4, 4, 4, 4};
    case O::kAdd64:
    case O::kSubtract64:
    case O::kMultiply64:
    case O::kAnd64:
    case O::kOr64:
    case O::kXor64:
    case O::kSubtractF64:
      return {8, 8, 8, -1};
    case O::kShiftLeft64:
    case O::kShiftRightU64:
    case O::kShiftRightS64:
      return {8, 8, 4, -1};
    case O::kWidenS32:
    case O::kWidenU32:
      return {8, 4, -1, -1};
    case O::kNarrow64:
      return {4, 8, -1, -1};
    case O::kMultiplyWideS32:
    case O::kMultiplyWideU32:
      return {8, 4, 4, -1};
    case O::kMultiplyAddWideS32:
    case O::kMultiplyAddWideU32:
      return {8, 4, 4, 8};
    case O::kCompareS32:
    case O::kCompareU32:
    case O::kCompareF32:
      return {0, 4, 4, -1};
    case O::kCompareS64:
    case O::kCompareU64:
      return {0, 8, 8, -1};
    case O::kSelect32:
      return {4, 4, 4, 0};
    case O::kSelect64:
      return {8, 8, 8, 0};
    case O::kAndPredicate:
    case O::kOrPredicate:
    case O::kXorPredicate:
      return {0, 0, 0, -1};
    case O::kNotPredicate:
    case O::kMovePredicate:
      return {0, 0, -1, -1};
    case O::kParameter32:
    case O::kLoad32:
    case O::kLoad32x2:
    case O::kLoad32x4:
      return {4, -1, -1, -1};
    case O::kParameter64:
    case O::kLoad64:
      return {8, -1, -1, -1};
    default:
      return {4, 4, 4, -1};
  }
}

bool is_load(Operation operation) { return bytes_loaded(operation) != 0; }

std::uint32_t bytes_loaded(Operation operation) {
  switch (operation) {
    case Operation::kLoad32:
      return 4;
    case Operation::kLoad64:
    case Operation::kLoad32x2:
      return 8;
    case Operation::kLoad32x4:
      return 16;
    default:
      return 0;
  }
}

bool Destinations::include(std::uint32_t slot) const { return std::find(begin(), end(), slot) != end(); }

Destinations destinations_of(const Step& step) {
  if (step.operation != Operation::kLoad32x2 && step.operation != Operation::kLoad32x4) return {&step.insn->dst, 1};
  const auto& list = *static_cast<const std::vector<std::uint32_t>*>(step.insn->extra);
  return {list.data(), static_cast<std::uint32_t>(list.size())};
}

std::optional<Step> recognise(const Code& code, const Insn& insn, bool is_watched) {
  if (insn.source >= code.function->body.size() || insn.run == meeting_handler() || insn.run == return_handler() ||
      !is_alone(code, insn))
    return std::nullopt;
  const ptx::Instruction& instruction = instruction_of(code, insn);
  if (instruction.operands.size() < 2) return std::nullopt;
  if (instruction.opcode == "ld") return recognise_load(code, instruction, insn, is_watched);
  std::optional<Step> step;
  if (instruction.opcode == "setp") {
    step = recognise_comparison(instruction, insn);
  } else if (const auto found = operations().find(spelled(instruction)); found != operations().end()) {
    step = Step{found->second, Comparison::kEqual, &insn};
  }
  if (!step) return std::nullopt;
  const OperandWidths widths = widths_of(step->operation);
  if (instruction.guarded && widths.dst == 0) return std::nullopt;
  if (instruction.opcode == "cvta") {
    const bool is_register = instruction.operands[1].kind == ptx::Operand::Kind::kRegister;
    return is_register && fits(code, instruction.operands[0], 8) ? step : std::nullopt;
  }
  if (instruction.opcode == "mov" && instruction.operands[1].kind == ptx::Operand::Kind::kSymbol) {
    const bool is_constant = insn.a != 0;  // else it counts from the function's local memory
    return is_constant && fits(code, instruction.operands[0], widths.dst) ? step : std::nullopt;
  }
  const bool is_logic = widths.dst == 0 && widths.a == 0;
  if (is_logic && std::any_of(instruction.operands.begin(), instruction.operands.end(),
                              [](const ptx::Operand& operand) { return operand.negated; }))
    return std::nullopt;
  const int expected[] = {widths.dst, widths.a, widths.b, widths.c};
  std::size_t count = 0;
  for (const int width : expected) {
    if (width < 0) break;
    if (count >= instruction.operands.size() || !fits(code, instruction.operands[count], width)) return std::nullopt;
    ++count;
  }
  if (count != instruction.operands.size() || instruction.operands[0].kind != ptx::Operand::Kind::kRegister)
    return std::nullopt;
  return step;
}

std::vector<bool> run_begins(const Code& code) {
  std::vector<bool> begins(code.insns.size(), false);
  for (const Insn& insn : code.insns) {
    if (insn.target != nullptr) begins[insn.target->index] = true;
    if (insn.run == meeting_handler()) begins[insn.index] = true;
  }
  for (const std::vector<const Insn*>& targets : code.target_lists)
    for (const Insn* const target : targets) begins[target->index] = true;
  return begins;
}

Passage passage_from(const Code& code, const Insn* first, const std::vector<bool>& begins,
                     const PassageOptions& options) {
  Passage passage;
  passage.code = &code;
  passage.is_watched = options.is_watched;
  std::vector<std::uint32_t> predicates, written;
  const auto is_written = [&](std::uint32_t slot) {
    return std::find(written.begin(), written.end(), slot) != written.end();
  };
  const Insn* const end = code.insns.data() + options.end;
  for (const Insn* insn = first; insn < end && passage.steps.size() < kMostSteps; ++insn) {
    if (insn != first && begins[insn->index]) break;
    std::optional<Step> step = recognise(code, *insn, options.is_watched);
    if (!step) break;
    if (widths_of(step->operation).dst == 0 &&
        std::find(predicates.begin(), predicates.end(), insn->dst) == predicates.end()) {
      if (predicates.size() == kMostPredicates) break;
      predicates.push_back(insn->dst);
    }
    if (is_load(step->operation)) {
      if (!options.with_loads || is_written(insn->a)) break;
      const bool is_global = ptx::has_modifier(instruction_of(code, *insn), "global");
      const std::uint32_t bytes = bytes_loaded(step->operation);
      const auto same = [&](const RowBase& base) {
        return base.slot == insn->a && base.bytes == bytes && base.is_global == is_global;
      };
      auto base = std::find_if(passage.bases.begin(), passage.bases.end(), same);
      if (base == passage.bases.end()) {
        if (passage.bases.size() == kMostRowBases) break;
        passage.bases.push_back({insn->a, is_global, bytes, 0, insn->offset, insn->offset, {}});
        base = passage.bases.end() - 1;
      }
      base->lowest = std::min(base->lowest, insn->offset);
      base->highest = std::max(base->highest, insn->offset);
      if (base_key(insn) != 0) base->forgotten.push_back(base_key(insn) % KnownBase::kMost);
      step->base = static_cast<std::uint32_t>(base - passage.bases.begin());
    }
    const Destinations destinations = destinations_of(*step);
    written.insert(written.end(), destinations.begin(), destinations.end());
    passage.steps.push_back(*step);
  }
  if (passage.steps.size() < 2 && passage.bases.empty() && !options.may_be_short) passage.steps.clear();
  return passage;
}

}  // namespace vgpu
