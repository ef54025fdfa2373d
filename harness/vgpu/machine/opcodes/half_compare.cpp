// Comparisons of f16, f16x2, bf16 and bf16x2: setp, set. The opcodes' rows are in compare.cpp.
#include "harness/vgpu/machine/opcodes/half_lanes.h"

namespace vgpu {
namespace {

/// How two numbers may lie to each other; a comparison is the set of those it holds for.
enum Relation : std::uint32_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };

struct Comparison {
  std::string_view modifier;
  std::uint32_t holds;
};
constexpr Comparison kComparisons[] = {
    {"eq", kEqual},
    {"ne", kLess | kGreater},
    {"lt", kLess},
    {"le", kLess | kEqual},
    {"gt", kGreater},
    {"ge", kGreater | kEqual},
    {"equ", kEqual | kUnordered},
    {"neu", kLess | kGreater | kUnordered},
    {"ltu", kLess | kUnordered},
    {"leu", kLess | kEqual | kUnordered},
    {"gtu", kGreater | kUnordered},
    {"geu", kGreater | kEqual | kUnordered},
    {"num", kLess | kEqual | kGreater},
    {"nan", kUnordered},
};

std::uint32_t take_comparison(Builder& b) {
  for (const Comparison& comparison : kComparisons)
    if (b.take(comparison.modifier)) return comparison.holds;
  b.refuse(b.spelled());
}

template <class Format, bool Flush>
inline bool holds(std::uint32_t comparison, std::uint16_t a, std::uint16_t b) {
  const auto value = [](std::uint16_t bits) {
    const bool subnormal = (bits & 0x7FFF) < (1 << Format::kMantissaBits);
    return Format::widened(Flush && subnormal ? std::uint16_t{0} : bits);
  };
  const float x = value(a), y = value(b);
  const std::uint32_t relation = x < y ? kLess : x > y ? kGreater : x == y ? kEqual : kUnordered;
  return (relation & comparison) != 0;
}

/// What setp does beside comparing; kept in the instruction's offset.
struct How {
  std::uint32_t comparison;
  std::uint32_t with;  ///< 0 nothing, 1 and, 2 or, 3 xor: with the third operand
  Mask flip;           ///< all ones if the third operand is negated

  std::int64_t packed() const {
    return static_cast<std::int64_t>(std::uint64_t{flip} << 32 | std::uint64_t{with} << 8 | comparison);
  }
  static How of(const Insn* insn) {
    const auto bits = static_cast<std::uint64_t>(insn->offset);
    return {static_cast<std::uint32_t>(bits & 0xFF), static_cast<std::uint32_t>(bits >> 8 & 0xFF),
            static_cast<Mask>(bits >> 32)};
  }
};

/// setp p, a, b; of single elements p|q are the result and its opposite, of pairs the results for the lower and the
/// upper halves. Both may be combined with a third operand. The list holds q, if there is one.
template <class Format, bool Flush, int PerLane>
const Insn* set_predicates(Warp& warp, const Insn* insn) {
  const How how = How::of(insn);
  const std::uint16_t* a = lanes_at<std::uint16_t>(warp, insn->a);
  const std::uint16_t* b = lanes_at<std::uint16_t>(warp, insn->b);
  alignas(64) std::uint32_t flags[PerLane][kLanes];
  for (int n = 0; n < PerLane; ++n)
    for (int lane = 0; lane < kLanes; ++lane)
      flags[n][lane] = holds<Format, Flush>(how.comparison, a[lane * PerLane + n], b[lane * PerLane + n]);
  const Mask third = mask_at(warp, insn->c) ^ how.flip;
  const auto combined = [&](Mask value) {
    return how.with == 1 ? value & third : how.with == 2 ? value | third : how.with == 3 ? value ^ third : value;
  };
  const Mask lanes = guarded_lanes(warp, insn);
  const Mask first = pack(flags[0]);
  const Mask second = PerLane == 2 ? pack(flags[PerLane - 1]) : ~first;
  set_mask(mask_at(warp, insn->dst), lanes, combined(first));
  if (insn->extra != nullptr)
    set_mask(mask_at(warp, (*static_cast<const std::vector<std::uint32_t>*>(insn->extra))[0]), lanes, combined(second));
  return insn + 1;
}

/// set.CmpOp.dtype.stype d, a, b: all ones or 1.0 in every element where the comparison holds. `yes` is the offset's
/// upper half.
template <class Format, bool Flush, int PerLane>
const Insn* set_elements_to(Warp& warp, const Insn* insn) {
  const auto comparison = static_cast<std::uint32_t>(insn->offset & 0xFF);
  const auto yes = static_cast<std::uint16_t>(insn->offset >> 32);
  const std::uint16_t* a = lanes_at<std::uint16_t>(warp, insn->a);
  const std::uint16_t* b = lanes_at<std::uint16_t>(warp, insn->b);
  set_elements<PerLane>(lanes_at<std::uint16_t>(warp, insn->dst), guarded_lanes(warp, insn), [=](int element) {
    return holds<Format, Flush>(comparison, a[element], b[element]) ? yes : std::uint16_t{0};
  });
  return insn + 1;
}

/// The same for a 32-bit result of a comparison of single elements.
template <class Format, bool Flush>
const Insn* set_words_to(Warp& warp, const Insn* insn) {
  const auto comparison = static_cast<std::uint32_t>(insn->offset & 0xFF);
  const std::uint16_t* a = lanes_at<std::uint16_t>(warp, insn->a);
  const std::uint16_t* b = lanes_at<std::uint16_t>(warp, insn->b);
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return holds<Format, Flush>(comparison, a[lane], b[lane]) ? ~0u : 0u; });
  return insn + 1;
}

template <class Format, bool Flush>
Handler value_handler(bool pairs, bool words) {
  if (pairs) return &set_elements_to<Format, Flush, 2>;
  return words ? &set_words_to<Format, Flush> : &set_elements_to<Format, Flush, 1>;
}

template <class Format, bool Flush>
Handler predicate_handler(bool pairs) {
  return pairs ? &set_predicates<Format, Flush, 2> : &set_predicates<Format, Flush, 1>;
}

bool is_any_of(ptx::Type type, std::initializer_list<ptx::Type> types) {
  for (const ptx::Type one : types)
    if (one == type) return true;
  return false;
}

}  // namespace

/// setp on 16-bit floats. False if `type` is none.
bool VGPU_OF_ISA(build_half_setp)(Builder& b, ptx::Type type);
bool VGPU_OF_ISA(build_half_setp)(Builder& b, ptx::Type type) {
  if (!is_half(type)) return false;
  How how{take_comparison(b), static_cast<std::uint32_t>(b.take_one_of({"and", "or", "xor"}) + 1), 0};
  const bool flush = !is_bfloat(type) && b.take("ftz");
  const ptx::Operand& to = b.operand(0);
  if (to.kind == ptx::Operand::Kind::kVector && to.elements.size() == 2) {
    std::vector<std::uint32_t>& second = b.operand_list(1);
    b.write(b.insn.dst, to.elements.at(0), SlotSize::kMask);
    b.write(second[0], to.elements.at(1), SlotSize::kMask);
    b.insn.extra = &second;
  } else {
    if (is_pair(type)) b.refuse(b.spelled() + " into one predicate");
    b.write(b.insn.dst, to, SlotSize::kMask);
  }
  b.read(b.insn.a, b.operand(1), slot_for(type));
  b.read(b.insn.b, b.operand(2), slot_for(type));
  if (how.with != 0) b.read_predicate(b.insn.c, how.flip, b.operand(3));
  b.insn.offset = how.packed();
  if (is_bfloat(type))
    b.emit(predicate_handler<Bfloat16, false>(is_pair(type)));
  else
    b.emit(flush ? predicate_handler<Half, true>(is_pair(type)) : predicate_handler<Half, false>(is_pair(type)));
  return true;
}

/// set from comparisons of 16-bit floats. False if `type` is none.
bool VGPU_OF_ISA(build_half_set)(Builder& b, ptx::Type to, ptx::Type type);
bool VGPU_OF_ISA(build_half_set)(Builder& b, ptx::Type to, ptx::Type type) {
  using ptx::Type;
  if (!is_half(type)) return false;
  const std::uint32_t comparison = take_comparison(b);
  const bool flush = !is_bfloat(type) && b.take("ftz");
  const bool words = is_any_of(to, {Type::kU32, Type::kS32});
  if (to != type && !words && (is_pair(type) || !is_any_of(to, {Type::kU16, Type::kS16}))) b.refuse(b.spelled());
  const std::uint16_t one = is_bfloat(type) ? Bfloat16::kOne : Half::kOne;
  const std::uint16_t yes = to == type ? one : std::uint16_t{0xFFFF};
  b.insn.offset = static_cast<std::int64_t>(std::uint64_t{yes} << 32 | comparison);
  Handler handler = value_handler<Half, false>(is_pair(type), words);
  if (is_bfloat(type))
    handler = value_handler<Bfloat16, false>(is_pair(type), words);
  else if (flush)
    handler = value_handler<Half, true>(is_pair(type), words);
  emit_binary(b, handler, slot_for(to), slot_for(type), slot_for(type));
  return true;
}

}  // namespace vgpu
