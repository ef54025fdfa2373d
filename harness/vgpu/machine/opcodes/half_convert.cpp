// Conversions into formats narrower than a float (f16, bf16, pairs of them, tf32), and of 16-bit floats into floats.
// The opcode's row is in convert.cpp.
#include "harness/vgpu/machine/opcodes/conversion.h"
#include "harness/vgpu/machine/opcodes/half_lanes.h"

namespace vgpu {
namespace {

/// NaN of binary16 becomes canonical, that of bfloat16 keeps its bits (both seen on an H200).
template <class Format>
struct Widen {
  static float apply(std::uint16_t a) {
    return std::is_same_v<Format, Half> ? canonical(Format::widened(a)) : Format::widened(a);
  }
};

template <class Format>
struct Nearest {
  static std::uint16_t apply(float a) { return Format::nearest(a); }
};

/// A double that rounds to the formats as the value itself does.
template <class S>
inline double exact(S value) {
  if constexpr (std::is_integral_v<S> && sizeof(S) == 8)
    return to_double_for_rounding(value);
  else
    return static_cast<double>(value);
}

/// A NaN of double precision keeps its sign and the upper bits of its payload, made quiet; other NaN become canonical
/// (read from an H200).
template <class Format>
inline std::uint16_t narrowed_nan(double from) {
  constexpr int kMantissaBits = __builtin_ctz(Format::kInfinity);
  const std::uint64_t bits = bits_of(from);
  return static_cast<std::uint16_t>((bits >> 48 & 0x8000u) | Format::kInfinity | 1u << (kMantissaBits - 1) |
                                    (bits >> (52 - kMantissaBits) & (Format::kInfinity ^ 0x7FFFu)));
}

template <class Format, class S>
inline std::uint16_t narrowed(S from, const How& how) {
  double value = exact(from);
  if constexpr (std::is_same_v<S, float>)
    if (how.flush) value = static_cast<double>(flushed(from));
  if (how.to_integral) value = rounded_to_integral(value, how.rounding);
  if (how.saturate) value = saturated(value);
  if constexpr (std::is_same_v<S, double>)
    if (value != value) return narrowed_nan<Format>(value);
  const std::uint16_t bits = rounded_to<Format>(value, how.to_integral ? Rounding::kNearest : how.rounding);
  if (how.relu && (bits & 0x8000) != 0) return 0;
  return static_cast<std::uint16_t>(how.finite && (bits & 0x7FFF) == Format::kInfinity ? bits - 1 : bits);
}

template <class Format, class S>
const Insn* narrow(Warp& warp, const Insn* insn) {
  const How how = How::of(insn);
  const S* from = lanes_at<S>(warp, insn->a);
  std::uint16_t* to = lanes_at<std::uint16_t>(warp, insn->dst);
  each_lane(guarded_lanes(warp, insn), [&](int lane) { to[lane] = narrowed<Format>(from[lane], how); });
  return insn + 1;
}

/// cvt.rn.f16x2.f32 d, a, b: b becomes the lower half, a the upper.
template <class Format, bool Plain>
const Insn* narrow_pair(Warp& warp, const Insn* insn) {
  const How how = How::of(insn);
  const float* upper = lanes_at<float>(warp, insn->a);
  const float* lower = lanes_at<float>(warp, insn->b);
  const auto element = [=](float from) -> std::uint32_t {
    if constexpr (Plain)
      return Format::nearest(from);
    else
      return narrowed<Format>(from, how);
  };
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return element(upper[lane]) << 16 | element(lower[lane]); });
  return insn + 1;
}

template <class Format>
Handler narrowing_from(ptx::Type from, bool plain) {
  switch (from) {
    case ptx::Type::kU8:
      return &narrow<Format, std::uint8_t>;
    case ptx::Type::kS8:
      return &narrow<Format, std::int8_t>;
    case ptx::Type::kU16:
      return &narrow<Format, std::uint16_t>;
    case ptx::Type::kS16:
      return &narrow<Format, std::int16_t>;
    case ptx::Type::kU32:
      return &narrow<Format, std::uint32_t>;
    case ptx::Type::kS32:
      return &narrow<Format, std::int32_t>;
    case ptx::Type::kU64:
      return &narrow<Format, std::uint64_t>;
    case ptx::Type::kS64:
      return &narrow<Format, std::int64_t>;
    case ptx::Type::kF32:
      return plain ? &unary<Nearest<Format>, std::uint16_t, float> : &narrow<Format, float>;
    case ptx::Type::kF64:
      return &narrow<Format, double>;
    default:
      return nullptr;
  }
}

// --- tf32: a float whose last 13 bits are zero ---

constexpr std::uint32_t kLost = 0x1FFF;

/// Ties go away from zero. Infinities and NaN are cut off, even a NaN that becomes an infinity by it (as on an H200).
struct ToTf32Away {
  static std::uint32_t apply(std::uint32_t a) {
    const bool finite = (a & 0x7F800000u) != 0x7F800000u;
    return (a + (finite ? 0x1000u : 0u)) & ~kLost;
  }
};
/// To nearest even or towards zero; NaN becomes canonical, as far as there are bits.
template <bool Nearest, bool Relu>
struct ToTf32 {
  static std::uint32_t apply(std::uint32_t a) {
    if ((a & 0x7FFFFFFFu) > 0x7F800000u) return kCanonicalNan & ~kLost;
    if (Relu && a >> 31 != 0) return 0;
    return (a + (Nearest ? 0xFFFu + (a >> 13 & 1) : 0u)) & ~kLost;
  }
};

template <bool Nearest>
Handler tf32_handler(bool relu) {
  return relu ? &unary<ToTf32<Nearest, true>, std::uint32_t, std::uint32_t>
              : &unary<ToTf32<Nearest, false>, std::uint32_t, std::uint32_t>;
}

}  // namespace

/// The float that a 16-bit float of type `from` is.
Handler VGPU_OF_ISA(half_widening)(ptx::Type from);
Handler VGPU_OF_ISA(half_widening)(ptx::Type from) {
  return is_bfloat(from) ? &unary<Widen<Bfloat16>, float, std::uint16_t> : &unary<Widen<Half>, float, std::uint16_t>;
}

/// A number as `to`, f16 or bf16, in the way that the instruction's offset tells; null where there is no such thing.
Handler VGPU_OF_ISA(half_narrowing)(ptx::Type to, ptx::Type from, bool plain);
Handler VGPU_OF_ISA(half_narrowing)(ptx::Type to, ptx::Type from, bool plain) {
  return is_bfloat(to) ? narrowing_from<Bfloat16>(from, plain) : narrowing_from<Half>(from, plain);
}

/// cvt.f16x2.f32 and cvt.bf16x2.f32, likewise.
void VGPU_OF_ISA(build_half_pair)(Builder& b, ptx::Type to, bool plain);
void VGPU_OF_ISA(build_half_pair)(Builder& b, ptx::Type to, bool plain) {
  Handler handler;
  if (is_bfloat(to))
    handler = plain ? &narrow_pair<Bfloat16, true> : &narrow_pair<Bfloat16, false>;
  else
    handler = plain ? &narrow_pair<Half, true> : &narrow_pair<Half, false>;
  emit_binary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

/// cvt.rna.tf32.f32, cvt.rn.tf32.f32, cvt.rz.tf32.f32; the .tf32 has been taken.
void VGPU_OF_ISA(build_tf32)(Builder& b);
void VGPU_OF_ISA(build_tf32)(Builder& b) {
  const int rounding = b.take_one_of({"rna", "rn", "rz"});
  if (rounding < 0 || b.take_type() != ptx::Type::kF32) b.refuse(b.spelled());
  const bool relu = rounding > 0 && b.take("relu");
  const Handler handler = rounding == 0   ? &unary<ToTf32Away, std::uint32_t, std::uint32_t>
                          : rounding == 1 ? tf32_handler<true>(relu)
                                          : tf32_handler<false>(relu);
  emit_unary(b, handler, SlotSize::k32, SlotSize::k32);
}

}  // namespace vgpu
