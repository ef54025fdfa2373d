// Conversion between number types: cvt, cvt.pack.
#include "harness/vgpu/machine/opcodes/byte_floats.h"
#include "harness/vgpu/machine/opcodes/conversion.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {

// Formats narrower than a float are half_convert.cpp's.
Handler VGPU_OF_ISA(half_widening)(ptx::Type from);
Handler VGPU_OF_ISA(half_narrowing)(ptx::Type to, ptx::Type from, bool plain);
void VGPU_OF_ISA(build_half_pair)(Builder& b, ptx::Type to, bool plain);
void VGPU_OF_ISA(build_tf32)(Builder& b);

namespace {

template <class T>
constexpr bool kIsFloat = std::is_floating_point_v<T>;

/// Float to integer clamps to the integer's range; NaN gives 0, but the top bit alone where either side has 64 bits
/// (PTX ISA, cvt).
template <class D, class S>
inline D to_integer(S value, Rounding rounding) {
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
  const How how = How::of(insn);
  const RoundingMode mode(how.to_integral || !kIsFloat<D> ? Rounding::kNearest : how.rounding);
  const S* from = lanes_at<S>(warp, insn->a);
  Register* to = lanes_at<Register>(warp, insn->dst);
  // Compilers may convert an integer as the difference of two doubles, and rounded down that of 0 is -0. They are not
  // told that this is 0, or they would take it for the same.
  [[maybe_unused]] D zero{};
  if constexpr (!kIsFloat<S> && kIsFloat<D>) asm("" : "+m"(zero));
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
      result = value == 0 ? zero : static_cast<D>(value);
      if (how.saturate) result = saturated(result);
    } else {
      result = how.saturate ? clamped<D>(value) : static_cast<D>(value);
    }
    to[lane] = static_cast<Register>(result);
  });
  return insn + 1;
}

// --- cvt.pack ---

/// cvt.pack.sat.u16.s32 d, a, b: a above b, both clamped.
template <class Part>
const Insn* pack_two(Warp& warp, const Insn* insn) {
  const std::int32_t* a = lanes_at<std::int32_t>(warp, insn->a);
  const std::int32_t* b = lanes_at<std::int32_t>(warp, insn->b);
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    return static_cast<std::uint32_t>(clamped<Part>(a[lane])) << 16 |
           (static_cast<std::uint32_t>(clamped<Part>(b[lane])) & 0xFFFF);
  });
  return insn + 1;
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c: c's lower half above a above b.
template <class Part>
const Insn* pack_two_below(Warp& warp, const Insn* insn) {
  const std::int32_t* a = lanes_at<std::int32_t>(warp, insn->a);
  const std::int32_t* b = lanes_at<std::int32_t>(warp, insn->b);
  const std::uint32_t* c = lanes_at<std::uint32_t>(warp, insn->c);
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    return c[lane] << 16 | (static_cast<std::uint32_t>(clamped<Part>(a[lane])) & 0xFF) << 8 |
           (static_cast<std::uint32_t>(clamped<Part>(b[lane])) & 0xFF);
  });
  return insn + 1;
}

void build_pack(Builder& b) {
  constexpr SlotSize kSize = SlotSize::k32;
  if (!b.take("sat")) b.refuse(b.spelled());
  const ptx::Type to = b.take_type();
  if (b.take_type() != ptx::Type::kS32) b.refuse(b.spelled());
  if (to == ptx::Type::kU16 || to == ptx::Type::kS16)
    return emit_binary(b, to == ptx::Type::kU16 ? &pack_two<std::uint16_t> : &pack_two<std::int16_t>, kSize, kSize,
                       kSize);
  if ((to != ptx::Type::kU8 && to != ptx::Type::kS8) || b.take_type() != ptx::Type::kB32) b.refuse(b.spelled());
  emit_ternary(b, to == ptx::Type::kU8 ? &pack_two_below<std::uint8_t> : &pack_two_below<std::int8_t>, kSize, kSize,
               kSize, kSize);
}

// --- choosing ---

template <class D, class S, class Register>
Handler conversion(const How& how, bool plain) {
  // From floats only f32 to f64 needs neither rounding nor clamping; from integers everything that is not saturated.
  constexpr bool kExact = !kIsFloat<S> || (kIsFloat<D> && sizeof(D) >= sizeof(S));
  const bool nearest = how.rounding == Rounding::kNearest;
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
  VGPU_NEXT(warp, insn);
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

Handler handler_for(Builder& b, ptx::Type to, ptx::Type from, SlotSize to_slot, const How& how) {
  const bool plain = how.plain();
  if (is_half(to)) {
    const Handler handler = VGPU_OF_ISA(half_narrowing)(to, from, plain);
    if (handler == nullptr) b.refuse(b.spelled());
    return handler;
  }
  switch (from) {
    case ptx::Type::kU8:
      return for_destination<std::uint8_t>(b, to, to_slot, how, plain);
    case ptx::Type::kS8:
      return for_destination<std::int8_t>(b, to, to_slot, how, plain);
    case ptx::Type::kU16:
      return for_destination<std::uint16_t>(b, to, to_slot, how, plain);
    case ptx::Type::kS16:
      return for_destination<std::int16_t>(b, to, to_slot, how, plain);
    case ptx::Type::kU32:
      return for_destination<std::uint32_t>(b, to, to_slot, how, plain);
    case ptx::Type::kS32:
      return for_destination<std::int32_t>(b, to, to_slot, how, plain);
    case ptx::Type::kU64:
      return for_destination<std::uint64_t>(b, to, to_slot, how, plain);
    case ptx::Type::kS64:
      return for_destination<std::int64_t>(b, to, to_slot, how, plain);
    case ptx::Type::kF32:
      return for_destination<float>(b, to, to_slot, how, plain);
    case ptx::Type::kF64:
      return for_destination<double>(b, to, to_slot, how, plain);
    default:
      b.refuse(b.spelled());
  }
}

/// A 16-bit float is widened first, which is exact, and the float is what is converted.
void emit_from_half(Builder& b, ptx::Type to, ptx::Type from, SlotSize to_slot, const How& how) {
  const Handler widening = VGPU_OF_ISA(half_widening)(from);
  if (to == ptx::Type::kF32 && how.plain()) return emit_unary(b, widening, SlotSize::k32, SlotSize::k16);
  const Handler handler = handler_for(b, to, ptx::Type::kF32, to_slot, how);
  const std::uint32_t wide = b.scratch(SlotSize::k32);
  b.write_scratch(b.insn.dst, wide);
  b.read(b.insn.a, b.operand(1), SlotSize::k16);
  b.emit(widening);
  b.insn.offset = how.packed();
  b.read_scratch(b.insn.a, wide);
  b.write(b.insn.dst, b.operand(0), to_slot);
  b.emit(handler);
}

void build_convert(Builder& b) {
  if (b.take("pack")) return build_pack(b);
  if (b.take("tf32")) return VGPU_OF_ISA(build_tf32)(b);
  if (converts_byte_floats(b.instruction())) return build_byte_float_conversion(b);
  const int to_integral = b.take_one_of({"rni", "rzi", "rmi", "rpi"});
  const int rounding = to_integral >= 0 ? to_integral : b.take_one_of({"rn", "rz", "rm", "rp"});
  const ptx::Type to = b.take_type();
  const ptx::Type from = b.take_type();
  const bool to_bfloat = to == ptx::Type::kBF16 || to == ptx::Type::kBF16x2;  // has neither .ftz nor .sat
  How how;
  how.rounding = rounding_of(rounding);
  how.to_integral = to_integral >= 0;
  how.flush = !to_bfloat && b.take("ftz");
  how.saturate = !to_bfloat && b.take("sat");
  if (is_half(to) && from == ptx::Type::kF32) {
    how.relu = b.take("relu");
    how.finite = b.take("satfinite");
  }
  if (how.to_integral && to != from && !is_integer(to) && (is_half(to) || is_half(from))) b.refuse(b.spelled());
  b.insn.offset = how.packed();

  if (to == ptx::Type::kF16x2 || to == ptx::Type::kBF16x2) {
    if (from != ptx::Type::kF32 || rounding < 0 || how.flush || how.saturate) b.refuse(b.spelled());
    return VGPU_OF_ISA(build_half_pair)(b, to, how.plain());
  }
  const ptx::Operand& destination = b.operand(0);
  const SlotSize to_slot =
      b.is_register(destination) && !is_half(to) ? slot_for(b.register_type(destination)) : slot_for(to);
  if (from == ptx::Type::kF16 || from == ptx::Type::kBF16) return emit_from_half(b, to, from, to_slot, how);
  emit_conversion(b, handler_for(b, to, from, to_slot, how), to_slot, from);
}

constexpr OpcodeRow kRows[] = {
    {"cvt", &build_convert},
};

}  // namespace

const OpcodeTable VGPU_ROWS(convert) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
