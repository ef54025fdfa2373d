// Arithmetic on f16, f16x2, bf16 and bf16x2: add, sub, mul, fma, neg, abs, min, max, ex2, tanh. The opcodes' rows are
// in arithmetic.cpp and float_arithmetic.cpp.
#include "harness/vgpu/machine/opcodes/half_lanes.h"

namespace vgpu {
namespace {

// --- operations that round: from elements to a float or double that `nearest` rounds as the exact result ---

// A float has 24 bits, at least twice those of either format and two more, so that rounding a sum, difference or
// product to it first changes nothing (Figueroa, "When is double rounding innocuous?", 1995). Where results are
// subnormal: sums of two elements are multiples of the format's least number and exact; a product has 22 bits, exact
// as a float, or of bfloat16 16 bits, exact down to 2^-149 and thus wherever it does not round to zero anyway.
struct Add {
  template <class Format>
  static float apply(float a, float b) {
    return a + b;
  }
};
struct Subtract {
  template <class Format>
  static float apply(float a, float b) {
    return a - b;
  }
};
struct Multiply {
  template <class Format>
  static float apply(float a, float b) {
    return a * b;
  }
};
/// The product is exact in a wider type; its sum with c may not be, and c may break a tie that the product alone is. So
/// the sum is rounded to odd. Products of binary16 (22 bits, 2^-48 at least) are exact as floats; of bfloat16 they
/// reach from 2^-266 to 2^256, so that they need a double.
struct FusedMultiplyAdd {
  template <class Format>
  static auto apply(float a, float b, float c) {
    if constexpr (std::is_same_v<Format, Half>)
      return sum_to_odd<float, std::uint32_t>(a * b, c);
    else
      return sum_to_odd<double, std::uint64_t>(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c));
  }
};
// The approximate functions, in double precision: inside of the error that NVIDIA documents.
struct Exponential2 {
  template <class Format>
  static double apply(float a) {
    return std::exp2(static_cast<double>(a));
  }
};
struct HyperbolicTangent {
  template <class Format>
  static double apply(float a) {
    return std::tanh(static_cast<double>(a));
  }
};

/// What happens to a rounded result.
enum class Clamp { kNone, kSaturate, kRelu };

/// To [0, 1] with NaN as 0, or to no less than 0 with NaN as it is; -0 becomes +0.
template <class Format, Clamp How>
inline std::uint16_t clamped(std::uint16_t bits) {
  if constexpr (How == Clamp::kNone) return bits;
  const std::uint16_t positive = (bits & 0x8000) != 0 ? std::uint16_t{0} : bits;
  if constexpr (How == Clamp::kRelu) return positive;
  if (positive > Format::kInfinity) return 0;
  return positive < Format::kOne ? positive : Format::kOne;
}

template <class Format>
constexpr float kLeastNormal = std::is_same_v<Format, Half> ? 0x1p-14f : 0x1p-126f;

template <class Format>
inline float flushed_operand(float value) {
  return std::fabs(value) < kLeastNormal<Format> ? std::copysign(0.0f, value) : value;
}

/// A result is flushed if it would be below the normal numbers after a rounding that knows no least exponent: half a
/// unit below the least of them is where it would reach it. (Read from an H200.)
template <class Format, class T>
inline T flushed_result(T value) {
  constexpr T kLimit = T{kLeastNormal<Format>} * (T{1} - T{1} / (T{4} * T{1 << Format::kMantissaBits}));
  return std::fabs(value) < kLimit ? std::copysign(T{0}, value) : value;
}

/// Op on elements, with the modifiers .ftz and .sat or .relu around it.
template <class Op, class Format, bool Flush, Clamp How>
struct Rounded {
  template <class... Bits>
  static std::uint16_t apply(Bits... bits) {
    if constexpr (Flush)
      return clamped<Format, How>(Format::nearest(
          flushed_result<Format>(Op::template apply<Format>(flushed_operand<Format>(Format::widened(bits))...))));
    else
      return clamped<Format, How>(Format::nearest(Op::template apply<Format>(Format::widened(bits)...)));
  }
};

// --- operations on bits ---

template <class Format>
inline bool is_nan(std::uint16_t bits) {
  return (bits & 0x7FFF) > Format::kInfinity;
}
template <class Format, bool Flush>
inline std::uint16_t flushed_bits(std::uint16_t bits) {
  const bool subnormal = (bits & 0x7FFF) < (1 << Format::kMantissaBits);
  return static_cast<std::uint16_t>(Flush && subnormal ? bits & 0x8000 : bits);
}

/// neg and abs: NaN becomes canonical (seen on an H200).
template <class Format, bool Flush, bool Absolute>
struct Sign {
  static std::uint16_t apply(std::uint16_t a) {
    const std::uint16_t bits = flushed_bits<Format, Flush>(a);
    const auto changed = static_cast<std::uint16_t>(Absolute ? bits & 0x7FFF : bits ^ 0x8000);
    return is_nan<Format>(a) ? kCanonicalHalfNan : changed;
  }
};

enum class NanRule { kNumberWins, kNanWins };

/// The order of numbers as that of integers, -0 before +0.
inline int rank_of(std::uint16_t bits) { return (bits & 0x8000) != 0 ? -1 - (bits & 0x7FFF) : bits; }

/// min and max. A NaN loses against a number unless it is asked to win; .xorsign.abs takes magnitudes and gives the
/// result the product's sign, for which even the sign of a NaN that lost counts (seen on an H200).
template <class Format, bool Flush, bool Least, NanRule Rule, bool SignOfProduct>
struct Extremum {
  static std::uint16_t apply(std::uint16_t a, std::uint16_t b) {
    constexpr int kKept = SignOfProduct ? 0x7FFF : 0xFFFF;
    const auto x = static_cast<std::uint16_t>(flushed_bits<Format, Flush>(a) & kKept);
    const auto y = static_cast<std::uint16_t>(flushed_bits<Format, Flush>(b) & kKept);
    const bool no_x = is_nan<Format>(a), no_y = is_nan<Format>(b);
    const bool x_first = (rank_of(x) < rank_of(y)) == Least;
    const std::uint16_t number = no_x ? y : no_y ? x : x_first ? x : y;
    const auto sign = static_cast<std::uint16_t>(SignOfProduct ? (a ^ b) & 0x8000 : 0);
    const bool nan = Rule == NanRule::kNanWins ? no_x || no_y : no_x && no_y;
    return nan ? kCanonicalHalfNan : static_cast<std::uint16_t>(number | sign);
  }
};

// --- handlers ---

template <class Op, int PerLane>
const Insn* on_one(Warp& warp, const Insn* insn) {
  const std::uint16_t* a = lanes_at<std::uint16_t>(warp, insn->a);
  set_elements<PerLane>(lanes_at<std::uint16_t>(warp, insn->dst), guarded_lanes(warp, insn),
                        [=](int element) { return Op::apply(a[element]); });
  VGPU_NEXT(warp, insn);
}
template <class Op, int PerLane>
const Insn* on_two(Warp& warp, const Insn* insn) {
  const std::uint16_t* a = lanes_at<std::uint16_t>(warp, insn->a);
  const std::uint16_t* b = lanes_at<std::uint16_t>(warp, insn->b);
  set_elements<PerLane>(lanes_at<std::uint16_t>(warp, insn->dst), guarded_lanes(warp, insn),
                        [=](int element) { return Op::apply(a[element], b[element]); });
  VGPU_NEXT(warp, insn);
}
template <class Op, int PerLane>
const Insn* on_three(Warp& warp, const Insn* insn) {
  const std::uint16_t* a = lanes_at<std::uint16_t>(warp, insn->a);
  const std::uint16_t* b = lanes_at<std::uint16_t>(warp, insn->b);
  const std::uint16_t* c = lanes_at<std::uint16_t>(warp, insn->c);
  set_elements<PerLane>(lanes_at<std::uint16_t>(warp, insn->dst), guarded_lanes(warp, insn),
                        [=](int element) { return Op::apply(a[element], b[element], c[element]); });
  VGPU_NEXT(warp, insn);
}

template <class Op>
void emit_one(Builder& b, ptx::Type type) {
  emit_unary(b, is_pair(type) ? &on_one<Op, 2> : &on_one<Op, 1>, slot_for(type), slot_for(type));
}
template <class Op>
void emit_two(Builder& b, ptx::Type type) {
  const SlotSize size = slot_for(type);
  emit_binary(b, is_pair(type) ? &on_two<Op, 2> : &on_two<Op, 1>, size, size, size);
}
template <class Op>
void emit_three(Builder& b, ptx::Type type) {
  const SlotSize size = slot_for(type);
  emit_ternary(b, is_pair(type) ? &on_three<Op, 2> : &on_three<Op, 1>, size, size, size, size);
}

// --- what there is of each: bfloat16 has no .ftz (but in ex2, where it has nothing else) and no .sat ---

/// add, sub, mul: {.rn}{.ftz}{.sat}.
template <class Op>
void build_two(Builder& b, ptx::Type type) {
  b.take("rn");
  if (is_bfloat(type)) return emit_two<Rounded<Op, Bfloat16, false, Clamp::kNone>>(b, type);
  const bool flush = b.take("ftz");
  if (b.take("sat"))
    return flush ? emit_two<Rounded<Op, Half, true, Clamp::kSaturate>>(b, type)
                 : emit_two<Rounded<Op, Half, false, Clamp::kSaturate>>(b, type);
  return flush ? emit_two<Rounded<Op, Half, true, Clamp::kNone>>(b, type)
               : emit_two<Rounded<Op, Half, false, Clamp::kNone>>(b, type);
}

template <bool Flush>
void build_fma_of_halves(Builder& b, ptx::Type type) {
  using Op = FusedMultiplyAdd;
  if (b.take("sat")) return emit_three<Rounded<Op, Half, Flush, Clamp::kSaturate>>(b, type);
  if (b.take("relu")) return emit_three<Rounded<Op, Half, Flush, Clamp::kRelu>>(b, type);
  emit_three<Rounded<Op, Half, Flush, Clamp::kNone>>(b, type);
}

/// fma.rn{.ftz}{.sat or .relu}
void build_fma(Builder& b, ptx::Type type) {
  using Op = FusedMultiplyAdd;
  if (!b.take("rn")) b.refuse(b.spelled());
  if (!is_bfloat(type)) return b.take("ftz") ? build_fma_of_halves<true>(b, type) : build_fma_of_halves<false>(b, type);
  return b.take("relu") ? emit_three<Rounded<Op, Bfloat16, false, Clamp::kRelu>>(b, type)
                        : emit_three<Rounded<Op, Bfloat16, false, Clamp::kNone>>(b, type);
}

template <bool Absolute>
void build_sign(Builder& b, ptx::Type type) {
  if (is_bfloat(type)) return emit_one<Sign<Bfloat16, false, Absolute>>(b, type);
  return b.take("ftz") ? emit_one<Sign<Half, true, Absolute>>(b, type) : emit_one<Sign<Half, false, Absolute>>(b, type);
}

template <class Format, bool Flush, bool Least>
void build_extremum_of(Builder& b, ptx::Type type) {
  const bool nan_wins = b.take("NaN");
  if (b.take("xorsign")) {
    if (!b.take("abs")) b.refuse(b.spelled());
    return nan_wins ? emit_two<Extremum<Format, Flush, Least, NanRule::kNanWins, true>>(b, type)
                    : emit_two<Extremum<Format, Flush, Least, NanRule::kNumberWins, true>>(b, type);
  }
  return nan_wins ? emit_two<Extremum<Format, Flush, Least, NanRule::kNanWins, false>>(b, type)
                  : emit_two<Extremum<Format, Flush, Least, NanRule::kNumberWins, false>>(b, type);
}

/// min and max: {.ftz}{.NaN}{.xorsign.abs}
template <bool Least>
void build_extremum(Builder& b, ptx::Type type) {
  if (is_bfloat(type)) return build_extremum_of<Bfloat16, false, Least>(b, type);
  return b.take("ftz") ? build_extremum_of<Half, true, Least>(b, type) : build_extremum_of<Half, false, Least>(b, type);
}

/// ex2.approx.f16, ex2.approx.ftz.bf16
void build_exponential(Builder& b, ptx::Type type) {
  if (!b.take("approx")) b.refuse(b.spelled());
  if (!is_bfloat(type)) return emit_one<Rounded<Exponential2, Half, false, Clamp::kNone>>(b, type);
  if (!b.take("ftz")) b.refuse(b.spelled());
  emit_one<Rounded<Exponential2, Bfloat16, true, Clamp::kNone>>(b, type);
}

void build_hyperbolic_tangent(Builder& b, ptx::Type type) {
  if (!b.take("approx")) b.refuse(b.spelled());
  return is_bfloat(type) ? emit_one<Rounded<HyperbolicTangent, Bfloat16, false, Clamp::kNone>>(b, type)
                         : emit_one<Rounded<HyperbolicTangent, Half, false, Clamp::kNone>>(b, type);
}

struct Row {
  std::string_view opcode;
  void (*build)(Builder&, ptx::Type);
};
constexpr Row kForms[] = {
    {"add", &build_two<Add>},       {"sub", &build_two<Subtract>},
    {"mul", &build_two<Multiply>},  {"fma", &build_fma},
    {"neg", &build_sign<false>},    {"abs", &build_sign<true>},
    {"min", &build_extremum<true>}, {"max", &build_extremum<false>},
    {"ex2", &build_exponential},    {"tanh", &build_hyperbolic_tangent},
};

}  // namespace

/// The forms on 16-bit floats of opcodes whose rows are elsewhere. False if `type` is none, or the opcode has none.
bool VGPU_OF_ISA(build_half_arithmetic)(Builder& b, ptx::Type type);
bool VGPU_OF_ISA(build_half_arithmetic)(Builder& b, ptx::Type type) {
  if (!is_half(type)) return false;
  for (const Row& row : kForms) {
    if (b.instruction().opcode != row.opcode) continue;
    row.build(b, type);
    return true;
  }
  return false;
}

}  // namespace vgpu
