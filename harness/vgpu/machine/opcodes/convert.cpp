// Conversion between number types: cvt, cvt.pack.
#include "harness/vgpu/machine/opcodes/float_lanes.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

/// What a conversion does beside changing the type. Kept in the instruction's offset.
struct How {
  unsigned rounding;  ///< MXCSR code
  bool to_integral;   ///< rounds to an integral value (.rni and its kin)
  bool flush, saturate;
};

How unpack(const Insn* insn) {
  const auto bits = static_cast<std::uint64_t>(insn->offset);
  return {static_cast<unsigned>(bits & 0xFFFF), (bits >> 16 & 1) != 0, (bits >> 17 & 1) != 0, (bits >> 18 & 1) != 0};
}

inline double rounded_to_integral(double value, unsigned rounding) {
  switch (rounding) {
    case _MM_ROUND_TOWARD_ZERO:
      return __builtin_trunc(value);
    case _MM_ROUND_DOWN:
      return __builtin_floor(value);
    case _MM_ROUND_UP:
      return __builtin_ceil(value);
    default:
      return __builtin_nearbyint(value);  // the mode in force is round to nearest even
  }
}

/// Float to integer clamps to the integer's range; NaN gives 0, but the top bit alone where either side has 64 bits
/// (PTX ISA, cvt).
template <class D, class S>
inline D to_integer(S value, unsigned rounding) {
  constexpr bool kWide = sizeof(D) == 8 || sizeof(S) == 8;
  if (value != value) return kWide ? static_cast<D>(std::uint64_t{1} << (8 * sizeof(D) - 1)) : D{0};
  const double integral = rounded_to_integral(static_cast<double>(value), rounding);
  constexpr double kLowest = static_cast<double>(std::numeric_limits<D>::min());
  constexpr D kHalf = std::numeric_limits<D>::max() / 2 + 1;
  constexpr double kBeyond = static_cast<double>(kHalf) * 2.0;  // a power of two: exact
  if (integral < kLowest) return std::numeric_limits<D>::min();
  if (integral >= kBeyond) return std::numeric_limits<D>::max();
  return static_cast<D>(integral);
}

__extension__ typedef __int128 Int128;

template <class D, class S>
inline D clamped(S value) {
  const Int128 v = value;
  const Int128 low = std::numeric_limits<D>::min(), high = std::numeric_limits<D>::max();
  return static_cast<D>(v < low ? low : v > high ? high : v);
}

/// Integer to integer and the exact or nearest-even float conversions, which need no rounding mode: the fast way.
template <class D, class S>
struct Cast {
  static D apply(S value) {
    return static_cast<D>(value);  // a NaN keeps what fits of its payload, as on an H200
  }
};

/// Everything else.
template <class D, class S, class Register>
const Insn* convert(Warp& warp, const Insn* insn) {
  const How how = unpack(insn);
  const RoundingMode mode(how.to_integral || !kIsFloat<D> ? _MM_ROUND_NEAREST : how.rounding);
  const S* from = lanes_at<S>(warp, insn->a);
  Register* to = lanes_at<Register>(warp, insn->dst);
  each_lane(guarded_lanes(warp, insn), [&](int lane) {
    S value = from[lane];
    if constexpr (std::is_same_v<S, float>)
      if (how.flush) value = flushed(value);
    D result;
    if constexpr (kIsFloat<S> && kIsFloat<D>) {
      if (how.to_integral) value = static_cast<S>(rounded_to_integral(static_cast<double>(value), how.rounding));
      result = sizeof(S) == sizeof(D) ? canonical(static_cast<D>(value)) : static_cast<D>(value);
      if (how.saturate) result = saturated(result);
      if constexpr (std::is_same_v<D, float>)
        if (how.flush) result = flushed(result);
    } else if constexpr (kIsFloat<S>) {
      result = to_integer<D>(value, how.rounding);
    } else if constexpr (kIsFloat<D>) {
      result = static_cast<D>(value);
      if (how.saturate) result = saturated(result);
    } else {
      result = how.saturate ? clamped<D>(value) : static_cast<D>(value);
    }
    to[lane] = static_cast<Register>(result);
  });
  return insn + 1;
}

// --- half precision: only to and from f32 and f64, in software, so that every host gives the same bits ---

/// IEEE binary16 from a double, rounded once. `mode` is an MXCSR code.
std::uint16_t half_from(double value, unsigned mode) {
  const std::uint64_t bits = bits_of(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 48 & 0x8000);
  if (value != value) return 0x7FFF;
  const double magnitude = double_from(bits & 0x7FFFFFFFFFFFFFFFu);
  const bool away = (mode == _MM_ROUND_UP && sign == 0) || (mode == _MM_ROUND_DOWN && sign != 0);
  const bool nearest = mode == _MM_ROUND_NEAREST;
  if (magnitude >= 65536.0) {
    const bool infinite = bits_of(magnitude) == 0x7FF0000000000000u;
    return static_cast<std::uint16_t>(sign | (nearest || away || infinite ? 0x7C00 : 0x7BFF));
  }
  // The unit in the last place: 2^-24 for subnormals, else 2^(exponent - 10).
  int exponent = static_cast<int>(bits_of(magnitude) >> 52) - 1023;
  if (exponent < -14) exponent = -14;
  const double scaled = std::ldexp(magnitude, 10 - exponent);  // exact
  const double whole = __builtin_floor(scaled);
  const double rest = scaled - whole;
  auto mantissa = static_cast<std::uint32_t>(whole);
  if (nearest ? rest > 0.5 || (rest == 0.5 && (mantissa & 1) != 0) : away && rest > 0) ++mantissa;
  // mantissa counts units; bit 10 set means a normal number. Carrying into the exponent is what the encoding does by
  // itself.
  const std::uint32_t code = mantissa + (static_cast<std::uint32_t>(exponent + 14) << 10);
  if (code >= 0x7C00 && !(nearest || away)) return static_cast<std::uint16_t>(sign | 0x7BFF);
  return static_cast<std::uint16_t>(sign | code);
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000) << 16;
  const std::uint32_t exponent = half >> 10 & 31, mantissa = half & 0x3FF;
  if (exponent == 31) return mantissa != 0 ? float_from(kCanonicalNan) : float_from(sign | 0x7F800000u);
  if (exponent == 0) {
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return float_from(bits_of(magnitude) | sign);
  }
  return float_from(sign | (exponent + 112) << 23 | mantissa << 13);
}

template <class S>
const Insn* to_half(Warp& warp, const Insn* insn) {
  const How how = unpack(insn);
  const S* from = lanes_at<S>(warp, insn->a);
  std::uint16_t* to = lanes_at<std::uint16_t>(warp, insn->dst);
  each_lane(guarded_lanes(warp, insn), [&](int lane) {
    auto value = static_cast<double>(from[lane]);
    if constexpr (std::is_same_v<S, float>)
      if (how.flush) value = static_cast<double>(flushed(from[lane]));
    to[lane] = half_from(how.saturate ? saturated(value) : value, how.rounding);
  });
  return insn + 1;
}

template <class D>
const Insn* from_half(Warp& warp, const Insn* insn) {
  const std::uint16_t* from = lanes_at<std::uint16_t>(warp, insn->a);
  D* to = lanes_at<D>(warp, insn->dst);
  each_lane(guarded_lanes(warp, insn), [&](int lane) { to[lane] = static_cast<D>(half_to_float(from[lane])); });
  return insn + 1;
}

// --- choosing ---

template <class D, class S, class Register>
Handler conversion(const How& how, bool plain) {
  // From floats only f32 to f64 needs neither rounding nor clamping; from integers everything that is not saturated.
  constexpr bool kExact = !kIsFloat<S> || (kIsFloat<D> && sizeof(D) >= sizeof(S));
  const bool nearest = how.rounding == _MM_ROUND_NEAREST;
  constexpr bool kRoundsOnce = kIsFloat<D> && kIsFloat<S>;
  if (plain && nearest && (kExact || kRoundsOnce)) return &unary<Cast<D, S>, Register, S>;
  return &convert<D, S, Register>;
}

/// Values of 8 and 16 bits may live in wider registers; a signed destination is extended into them.
template <class D, class S>
Handler for_register(Builder& b, SlotSize slot, const How& how, bool plain) {
  constexpr bool kSigned = std::is_signed_v<D>;
  if constexpr (kIsFloat<D>) {
    if (slot != (sizeof(D) == 4 ? SlotSize::k32 : SlotSize::k64))
      b.refuse(b.spelled() + " into a register of another size");
    return conversion<D, S, D>(how, plain);
  } else {
    switch (slot) {
      case SlotSize::k16:
        if constexpr (sizeof(D) <= 2)
          return conversion<D, S, std::conditional_t<kSigned, std::int16_t, std::uint16_t>>(how, plain);
        break;
      case SlotSize::k32:
        if constexpr (sizeof(D) <= 4)
          return conversion<D, S, std::conditional_t<kSigned, std::int32_t, std::uint32_t>>(how, plain);
        break;
      case SlotSize::k64:
        return conversion<D, S, std::conditional_t<kSigned, std::int64_t, std::uint64_t>>(how, plain);
      default:
        break;
    }
    b.refuse(b.spelled());
  }
}

template <class S>
Handler for_destination(Builder& b, ptx::Type to, SlotSize slot, const How& how, bool plain) {
  switch (to) {
    case ptx::Type::kU8:
      return for_register<std::uint8_t, S>(b, slot, how, plain);
    case ptx::Type::kS8:
      return for_register<std::int8_t, S>(b, slot, how, plain);
    case ptx::Type::kU16:
      return for_register<std::uint16_t, S>(b, slot, how, plain);
    case ptx::Type::kS16:
      return for_register<std::int16_t, S>(b, slot, how, plain);
    case ptx::Type::kU32:
      return for_register<std::uint32_t, S>(b, slot, how, plain);
    case ptx::Type::kS32:
      return for_register<std::int32_t, S>(b, slot, how, plain);
    case ptx::Type::kU64:
      return for_register<std::uint64_t, S>(b, slot, how, plain);
    case ptx::Type::kS64:
      return for_register<std::int64_t, S>(b, slot, how, plain);
    case ptx::Type::kF32:
      return for_register<float, S>(b, slot, how, plain);
    case ptx::Type::kF64:
      return for_register<double, S>(b, slot, how, plain);
    default:
      b.refuse(b.spelled());
  }
}

/// Narrow sources are read from the low bytes of whatever register holds them; slots of other widths need a step
/// between.
template <class Narrow, class Register>
const Insn* narrow(Warp& warp, const Insn* insn) {
  const Register* from = lanes_at<Register>(warp, insn->a);
  set_lanes(lanes_at<Narrow>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return static_cast<Narrow>(from[lane]); });
  return insn + 1;
}

Handler narrowing(Builder& b, std::uint32_t bytes, SlotSize slot) {
  if (bytes == 1 && slot == SlotSize::k16) return &narrow<std::uint8_t, std::uint16_t>;
  if (bytes == 1 && slot == SlotSize::k32) return &narrow<std::uint8_t, std::uint32_t>;
  if (bytes == 1 && slot == SlotSize::k64) return &narrow<std::uint8_t, std::uint64_t>;
  if (bytes == 2 && slot == SlotSize::k32) return &narrow<std::uint16_t, std::uint32_t>;
  if (bytes == 2 && slot == SlotSize::k64) return &narrow<std::uint16_t, std::uint64_t>;
  if (bytes == 4 && slot == SlotSize::k64) return &narrow<std::uint32_t, std::uint64_t>;
  b.refuse(b.spelled());
}

void emit_conversion(Builder& b, Handler handler, SlotSize to_slot, ptx::Type from) {
  const std::uint32_t from_bytes = ptx::size_of(from);
  const SlotSize natural = slot_for(from);
  const ptx::Operand& source = b.operand(1);
  const SlotSize slot = b.is_register(source) ? slot_for(b.register_type(source)) : natural;
  if (slot != natural || from_bytes == 1) {
    const auto how = b.insn.offset;
    const std::uint32_t between = b.scratch(natural);
    b.write_scratch(b.insn.dst, between);
    b.read_any(b.insn.a, source, natural);
    b.emit(narrowing(b, from_bytes, slot));
    b.insn.offset = how;
    b.read_scratch(b.insn.a, between);
  } else {
    b.read(b.insn.a, source, natural);
  }
  b.write(b.insn.dst, b.operand(0), to_slot);
  b.emit(handler);
}

void build_convert(Builder& b) {
  const int to_integral = b.take_one_of({"rni", "rzi", "rmi", "rpi"});
  const int rounding = to_integral >= 0 ? to_integral : b.take_one_of({"rn", "rz", "rm", "rp"});
  const bool flush = b.take("ftz");
  const bool saturate = b.take("sat");
  const ptx::Type to = b.take_type();
  const ptx::Type from = b.take_type();
  const How how{rounding_code(rounding), to_integral >= 0, flush, saturate};
  const bool plain = to_integral < 0 && !flush && !saturate;
  b.insn.offset = static_cast<std::int64_t>(how.rounding | std::uint64_t{how.to_integral} << 16 |
                                            std::uint64_t{flush} << 17 | std::uint64_t{saturate} << 18);

  if (to == ptx::Type::kF16 && (from == ptx::Type::kF32 || from == ptx::Type::kF64)) {
    return emit_conversion(b, from == ptx::Type::kF32 ? &to_half<float> : &to_half<double>, SlotSize::k16, from);
  }
  if (from == ptx::Type::kF16 && (to == ptx::Type::kF32 || to == ptx::Type::kF64)) {
    if (saturate || to_integral >= 0) b.refuse(b.spelled());
    return emit_conversion(b, to == ptx::Type::kF32 ? &from_half<float> : &from_half<double>, slot_for(to), from);
  }

  const ptx::Operand& destination = b.operand(0);
  const SlotSize to_slot = b.is_register(destination) ? slot_for(b.register_type(destination)) : slot_for(to);
  Handler handler;
  switch (from) {
    case ptx::Type::kU8:
      handler = for_destination<std::uint8_t>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kS8:
      handler = for_destination<std::int8_t>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kU16:
      handler = for_destination<std::uint16_t>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kS16:
      handler = for_destination<std::int16_t>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kU32:
      handler = for_destination<std::uint32_t>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kS32:
      handler = for_destination<std::int32_t>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kU64:
      handler = for_destination<std::uint64_t>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kS64:
      handler = for_destination<std::int64_t>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kF32:
      handler = for_destination<float>(b, to, to_slot, how, plain);
      break;
    case ptx::Type::kF64:
      handler = for_destination<double>(b, to, to_slot, how, plain);
      break;
    default:
      b.refuse(b.spelled());
  }
  emit_conversion(b, handler, to_slot, from);
}

constexpr OpcodeRow kRows[] = {
    {"cvt", &build_convert},
};

}  // namespace

const OpcodeTable VGPU_ROWS(convert) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
