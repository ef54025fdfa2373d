// Conversions from and to pairs of 8-bit floats: e4m3x2 and e5m2x2. The opcode's row is in convert.cpp.
#include "harness/vgpu/machine/opcodes/byte_floats.h"

#include <cmath>
#include <cstdint>

#include "harness/vgpu/machine/opcodes/half_lanes.h"
#include "harness/vgpu/machine/opcodes/lane_loops.h"

namespace vgpu {
namespace {

/// Bits of exponent and mantissa. E4M3 has no infinities, and only one NaN but for its sign.
struct E4M3 {
  static constexpr int kMantissaBits = 3, kLeastExponent = -6;
  static constexpr std::uint32_t kGreatest = 0x7E;
};
struct E5M2 {
  static constexpr int kMantissaBits = 2, kLeastExponent = -14;
  static constexpr std::uint32_t kGreatest = 0x7B;
};

constexpr std::uint32_t kNan = 0x7F, kSign = 0x80;

/// To nearest even; what is too large becomes the greatest number: .satfinite, which is mandatory.
template <class Format>
std::uint32_t nearest_byte(double value, bool relu) {
  if (std::isnan(value)) return kNan;
  const bool is_negative = std::signbit(value);
  if (is_negative && relu) return 0;
  const std::uint32_t sign = is_negative ? kSign : 0;
  const double magnitude = std::fabs(value);
  if (std::isinf(magnitude)) return sign | Format::kGreatest;
  int exponent = Format::kLeastExponent;
  if (magnitude >= std::ldexp(1.0, exponent)) exponent = std::ilogb(magnitude);
  // In units of the last place; 2^exponent has 1 << kMantissaBits of them.
  const double units = std::nearbyint(std::ldexp(magnitude, Format::kMantissaBits - exponent));
  constexpr int kMost = 32;  // far above the greatest exponent
  if (exponent > kMost) return sign | Format::kGreatest;
  const auto code = static_cast<std::uint32_t>(units) +
                    (static_cast<std::uint32_t>(exponent - Format::kLeastExponent) << Format::kMantissaBits);
  return sign | (code > Format::kGreatest ? Format::kGreatest : code);
}

template <class Format>
const Insn* narrow_floats(Warp& warp, const Insn* insn) {
  const float *upper = lanes_at<float>(warp, insn->a), *lower = lanes_at<float>(warp, insn->b);
  const bool relu = insn->offset != 0;
  set_lanes(lanes_at<std::uint16_t>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    return static_cast<std::uint16_t>(nearest_byte<Format>(static_cast<double>(upper[lane]), relu) << 8 |
                                      nearest_byte<Format>(static_cast<double>(lower[lane]), relu));
  });
  return insn + 1;
}

template <class Format>
const Insn* narrow_halves(Warp& warp, const Insn* insn) {
  const std::uint32_t* pairs = lanes_at<std::uint32_t>(warp, insn->a);
  const bool relu = insn->offset != 0;
  set_lanes(lanes_at<std::uint16_t>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    const double upper = static_cast<double>(Half::widened(static_cast<std::uint16_t>(pairs[lane] >> 16)));
    const double lower = static_cast<double>(Half::widened(static_cast<std::uint16_t>(pairs[lane])));
    return static_cast<std::uint16_t>(nearest_byte<Format>(upper, relu) << 8 | nearest_byte<Format>(lower, relu));
  });
  return insn + 1;
}

/// Exact: f16 has more of both.
template <class Format>
std::uint32_t half_of_byte(std::uint32_t byte, bool relu) {
  const std::uint32_t magnitude = byte & ~kSign & 0xFF, sign = (byte & kSign) << 8;
  if (magnitude > Format::kGreatest && !(Format::kMantissaBits == 2 && magnitude == Format::kGreatest + 1))
    return kCanonicalHalfNan;
  if (relu && sign != 0) return 0;
  if (Format::kMantissaBits == 2) return sign | magnitude << 8;
  const auto mantissa = static_cast<int>(magnitude & 7), exponent = static_cast<int>(magnitude >> 3);
  const int significand = exponent == 0 ? mantissa : mantissa | 8, scale = exponent == 0 ? 1 : exponent;
  return sign | Half::nearest(static_cast<float>(std::ldexp(significand, scale - 10)));
}

template <class Format>
const Insn* widen_to_halves(Warp& warp, const Insn* insn) {
  const std::uint16_t* pairs = lanes_at<std::uint16_t>(warp, insn->a);
  const bool relu = insn->offset != 0;
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    return half_of_byte<Format>(pairs[lane] >> 8, relu) << 16 | half_of_byte<Format>(pairs[lane] & 0xFF, relu);
  });
  return insn + 1;
}

}  // namespace

bool converts_byte_floats(const ptx::Instruction& instruction) {
  return ptx::has_modifier(instruction, "e4m3x2") || ptx::has_modifier(instruction, "e5m2x2");
}

void build_byte_float_conversion(Builder& b) {
  if (!b.take("rn")) b.refuse(b.spelled());
  const bool is_finite = b.take("satfinite");
  b.insn.offset = b.take("relu") ? 1 : 0;
  const bool narrows = b.instruction().modifiers.back() == "f32" || b.instruction().modifiers.back() == "f16x2";
  const bool is_e4m3 = b.take("e4m3x2");
  if ((!is_e4m3 && !b.take("e5m2x2")) || is_finite != narrows) b.refuse(b.spelled());
  const ptx::Type other = b.take_type();
  if (other == ptx::Type::kF32 && narrows)
    return emit_binary(b, is_e4m3 ? &narrow_floats<E4M3> : &narrow_floats<E5M2>, SlotSize::k16, SlotSize::k32,
                       SlotSize::k32);
  if (other != ptx::Type::kF16x2) b.refuse(b.spelled());
  if (narrows)
    return emit_unary(b, is_e4m3 ? &narrow_halves<E4M3> : &narrow_halves<E5M2>, SlotSize::k16, SlotSize::k32);
  emit_unary(b, is_e4m3 ? &widen_to_halves<E4M3> : &widen_to_halves<E5M2>, SlotSize::k32, SlotSize::k16);
}

}  // namespace vgpu
