// Integer arithmetic: add, sub, mul, mad, div, rem, abs, neg, min, max, sad, carries, 24-bit products, dot products.
#include <limits>

#include "harness/vgpu/machine/opcodes/lane_loops.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {

// Floating-point forms of the same opcodes live in float_arithmetic.cpp, those on pairs of 16 bits in
// simd_arithmetic.cpp; for this instruction set.
bool VGPU_OF_ISA(build_float_arithmetic)(Builder& b, ptx::Type type);
bool VGPU_OF_ISA(build_simd_arithmetic)(Builder& b);

namespace {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

/// An integer type that holds any product of two T.
template <class T>
using Double = std::conditional_t<
    std::is_signed_v<T>,
    std::conditional_t<sizeof(T) == 2, std::int32_t, std::conditional_t<sizeof(T) == 4, std::int64_t, Int128>>,
    std::conditional_t<sizeof(T) == 2, std::uint32_t, std::conditional_t<sizeof(T) == 4, std::uint64_t, UInt128>>>;

// Arithmetic wraps: it is done in an unsigned type at least as wide as int, so that C++ promotions cannot overflow.
template <class T>
using Wrapping = std::conditional_t<sizeof(T) == 2, std::uint32_t, Unsigned<T>>;

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};
struct AddSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    const std::int64_t sum = std::int64_t{a} + b;
    return static_cast<std::int32_t>(sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum);
  }
};
struct SubtractSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b) {
    const std::int64_t difference = std::int64_t{a} - b;
    return static_cast<std::int32_t>(difference > INT32_MAX   ? INT32_MAX
                                     : difference < INT32_MIN ? INT32_MIN
                                                              : difference);
  }
};
struct MultiplyLow {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};
struct MultiplyHigh {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(static_cast<Double<T>>(a) * static_cast<Double<T>>(b) >> (8 * sizeof(T)));
  }
};
struct MultiplyWide {
  template <class T>
  static Double<T> apply(T a, T b) {
    return static_cast<Double<T>>(a) * static_cast<Double<T>>(b);
  }
};
struct MultiplyAddLow {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MultiplyLow::apply(a, b), c);
  }
};
struct MultiplyAddHigh {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(MultiplyHigh::apply(a, b), c);
  }
};
struct MultiplyAddWide {
  template <class T>
  static Double<T> apply(T a, T b, Double<T> c) {
    return Add::apply(MultiplyWide::apply(a, b), c);
  }
};
struct MultiplyAddHighSaturating {
  static std::int32_t apply(std::int32_t a, std::int32_t b, std::int32_t c) {
    return AddSaturating::apply(MultiplyHigh::apply(a, b), c);
  }
};

// PTX leaves division by zero open; the hardware's sequence gives all ones, and the dividend as the remainder.
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(-1);
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return Subtract::apply(T{0}, a);
    return static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T>
  static T apply(T a, T b) {
    if (b == 0) return a;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
    return static_cast<T>(a % b);
  }
};
struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    return a < b ? b : a;
  }
};
struct MinimumNotNegative {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return Maximum::apply(Minimum::apply(a, b), 0); }
};
struct MaximumNotNegative {
  static std::int32_t apply(std::int32_t a, std::int32_t b) { return Maximum::apply(Maximum::apply(a, b), 0); }
};
struct Negate {
  template <class T>
  static T apply(T a) {
    return Subtract::apply(T{0}, a);
  }
};
struct Absolute {
  template <class T>
  static T apply(T a) {
    return a < 0 ? Negate::apply(a) : a;
  }
};
struct SumOfAbsoluteDifferences {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(c, a < b ? Subtract::apply(b, a) : Subtract::apply(a, b));
  }
};

/// The 48-bit product of 24-bit numbers: its low or high 32 bits.
template <bool High>
struct Multiply24 {
  template <class T>
  static T apply(T a, T b) {
    const std::int64_t x = std::is_signed_v<T>
                               ? std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(a) << 8) >> 8}
                               : std::int64_t(a & 0xFFFFFF);
    const std::int64_t y = std::is_signed_v<T>
                               ? std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(b) << 8) >> 8}
                               : std::int64_t(b & 0xFFFFFF);
    return static_cast<T>(static_cast<std::uint64_t>(x * y) >> (High ? 16 : 0));
  }
};
template <bool High>
struct MultiplyAdd24 {
  template <class T>
  static T apply(T a, T b, T c) {
    return Add::apply(Multiply24<High>::apply(a, b), c);
  }
};

/// Four products of bytes, summed onto c.
template <class A, class B, class D>
struct Dot4 {
  static D apply(std::uint32_t a, std::uint32_t b, D c) {
    auto sum = static_cast<std::uint32_t>(c);
    for (int i = 0; i < 4; ++i)
      sum += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> 8 * i)} *
                                        std::int32_t{static_cast<B>(b >> 8 * i)});
    return static_cast<D>(sum);
  }
};
/// Two products of a half word of a and a byte of b; `Upper` takes b's upper two bytes.
template <class A, class B, class D, bool Upper>
struct Dot2 {
  static D apply(std::uint32_t a, std::uint32_t b, D c) {
    auto sum = static_cast<std::uint32_t>(c);
    for (int i = 0; i < 2; ++i)
      sum += static_cast<std::uint32_t>(std::int32_t{static_cast<A>(a >> 16 * i)} *
                                        std::int32_t{static_cast<B>(b >> (8 * i + (Upper ? 16 : 0)))});
    return static_cast<D>(sum);
  }
};

template <class Op>
void emit_same_type(Builder& b, ptx::Type type) {
  const Handler handler = for_integer(b, type, [](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    return &binary<Op, T, T>;
  });
  const SlotSize size = slot_for(type);
  emit_binary(b, handler, size, size, size);
}

/// add and sub: carries, saturation, plain; floats elsewhere.
template <class Op, class Saturating>
void build_add_or_subtract(Builder& b) {
  if (VGPU_OF_ISA(build_simd_arithmetic)(b)) return;
  const ptx::Type type = b.take_type();
  if (VGPU_OF_ISA(build_float_arithmetic)(b, type)) return;
  if (b.take("sat")) {
    if (type != ptx::Type::kS32) b.refuse(b.spelled());
    emit_binary(b, &binary<Saturating, std::int32_t, std::int32_t>, SlotSize::k32, SlotSize::k32, SlotSize::k32);
    return;
  }
  emit_same_type<Op>(b, type);
}

/// mul and mad in their .lo, .hi and .wide forms.
void build_multiply(Builder& b) {
  const int part = b.take_one_of({"lo", "hi", "wide"});
  const ptx::Type type = b.take_type();
  if (part < 0 && VGPU_OF_ISA(build_float_arithmetic)(b, type)) return;
  if (part < 0) b.refuse(b.spelled());
  const SlotSize size = slot_for(type);
  if (part == 2) {
    const Handler handler = for_integer(b, type, [&](auto tag) -> Handler {
      using T = typename decltype(tag)::type;
      if constexpr (sizeof(T) == 8)
        b.refuse(b.spelled());
      else
        return &binary<MultiplyWide, Double<T>, T>;
    });
    emit_binary(b, handler, size == SlotSize::k16 ? SlotSize::k32 : SlotSize::k64, size, size);
  } else if (part == 1) {
    emit_same_type<MultiplyHigh>(b, type);
  } else {
    emit_same_type<MultiplyLow>(b, type);
  }
}

void build_multiply_add(Builder& b) {
  const int part = b.take_one_of({"lo", "hi", "wide"});
  const ptx::Type type = b.take_type();
  if (part < 0 && VGPU_OF_ISA(build_float_arithmetic)(b, type)) return;
  if (part < 0) b.refuse(b.spelled());
  const SlotSize size = slot_for(type);
  if (part == 1 && b.take("sat")) {
    if (type != ptx::Type::kS32) b.refuse(b.spelled());
    emit_ternary(b, &ternary<MultiplyAddHighSaturating, std::int32_t, std::int32_t>, size, size, size, size);
    return;
  }
  const Handler handler = for_integer(b, type, [&](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    if (part == 0) return &ternary<MultiplyAddLow, T, T>;
    if (part == 1) return &ternary<MultiplyAddHigh, T, T>;
    if constexpr (sizeof(T) == 8)
      b.refuse(b.spelled());
    else
      return &ternary<MultiplyAddWide, Double<T>, T, T, Double<T>>;
  });
  const SlotSize wide = part != 2 ? size : size == SlotSize::k16 ? SlotSize::k32 : SlotSize::k64;
  emit_ternary(b, handler, wide, size, size, wide);
}

void build_divide(Builder& b) {
  const ptx::Type type = b.take_type();
  if (!VGPU_OF_ISA(build_float_arithmetic)(b, type)) emit_same_type<Divide>(b, type);
}

void build_remainder(Builder& b) { emit_same_type<Remainder>(b, b.take_type()); }

template <class Op, class NotNegative>
void build_minimum_or_maximum(Builder& b) {
  if (VGPU_OF_ISA(build_simd_arithmetic)(b)) return;
  const ptx::Type type = b.take_type();
  if (VGPU_OF_ISA(build_float_arithmetic)(b, type)) return;
  if (b.take("relu")) {
    if (type != ptx::Type::kS32) b.refuse(b.spelled());
    emit_binary(b, &binary<NotNegative, std::int32_t, std::int32_t>, SlotSize::k32, SlotSize::k32, SlotSize::k32);
    return;
  }
  emit_same_type<Op>(b, type);
}

template <class Op>
void build_sign(Builder& b) {
  const ptx::Type type = b.take_type();
  if (VGPU_OF_ISA(build_float_arithmetic)(b, type)) return;
  if (!is_signed(type)) b.refuse(b.spelled());
  const Handler handler = for_integer(b, type, [](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    return &unary<Op, T, T>;
  });
  emit_unary(b, handler, slot_for(type), slot_for(type));
}

void build_sum_of_absolute_differences(Builder& b) {
  const ptx::Type type = b.take_type();
  const Handler handler = for_integer(b, type, [](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    return &ternary<SumOfAbsoluteDifferences, T, T>;
  });
  const SlotSize size = slot_for(type);
  emit_ternary(b, handler, size, size, size, size);
}

void build_multiply_24(Builder& b) {
  const bool high = b.take_one_of({"lo", "hi"}) == 1;
  const ptx::Type type = b.take_type();
  if (type != ptx::Type::kU32 && type != ptx::Type::kS32) b.refuse(b.spelled());
  const bool is_s = type == ptx::Type::kS32;
  const Handler handler = is_s ? (high ? &binary<Multiply24<true>, std::int32_t, std::int32_t>
                                       : &binary<Multiply24<false>, std::int32_t, std::int32_t>)
                               : (high ? &binary<Multiply24<true>, std::uint32_t, std::uint32_t>
                                       : &binary<Multiply24<false>, std::uint32_t, std::uint32_t>);
  emit_binary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

void build_multiply_add_24(Builder& b) {
  const bool high = b.take_one_of({"lo", "hi"}) == 1;
  const ptx::Type type = b.take_type();
  if (type != ptx::Type::kU32 && type != ptx::Type::kS32) b.refuse(b.spelled());
  const bool is_s = type == ptx::Type::kS32;
  const Handler handler = is_s ? (high ? &ternary<MultiplyAdd24<true>, std::int32_t, std::int32_t>
                                       : &ternary<MultiplyAdd24<false>, std::int32_t, std::int32_t>)
                               : (high ? &ternary<MultiplyAdd24<true>, std::uint32_t, std::uint32_t>
                                       : &ternary<MultiplyAdd24<false>, std::uint32_t, std::uint32_t>);
  emit_ternary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

// --- carries: the carry bit is a hidden register of the thread, kept as a lane mask of the warp ---

enum class Carry { kWrite, kRead, kReadWrite };

template <bool Subtracting, Carry How, class T>
const Insn* with_carry(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  const T* c = lanes_at<T>(warp, insn->b);
  T* d = lanes_at<T>(warp, insn->dst);
  const Mask lanes = guarded_lanes(warp, insn);
  each_lane(lanes, [&](int lane) {
    const unsigned carry_in = How == Carry::kWrite ? 0u : warp.carry >> lane & 1;
    const T x = a[lane];
    const T y = c[lane];
    T result;
    bool carry_out;
    if (Subtracting) {
      const T partial = x - y;
      result = partial - static_cast<T>(carry_in);
      carry_out = x < y || partial < carry_in;
    } else {
      const T partial = x + y;
      result = partial + static_cast<T>(carry_in);
      carry_out = partial < x || result < partial;
    }
    d[lane] = result;
    if (How != Carry::kRead) set_mask(warp.carry, Mask{1} << lane, carry_out ? kAllLanes : 0);
  });
  return insn + 1;
}

template <bool Subtracting, bool Reads>
void build_with_carry(Builder& b) {
  const bool writes = b.take("cc");
  const ptx::Type type = b.take_type();
  if (!Reads && !writes) b.refuse(b.spelled());
  const bool wide = slot_for(type) == SlotSize::k64;
  if (!is_integer(type) || ptx::size_of(type) < 4) b.refuse(b.spelled());
  constexpr Carry kBoth = Reads ? Carry::kReadWrite : Carry::kWrite;
  Handler handler;
  if (writes) {
    handler = wide ? &with_carry<Subtracting, kBoth, std::uint64_t> : &with_carry<Subtracting, kBoth, std::uint32_t>;
  } else {
    handler = wide ? &with_carry<Subtracting, Carry::kRead, std::uint64_t>
                   : &with_carry<Subtracting, Carry::kRead, std::uint32_t>;
  }
  emit_binary(b, handler, slot_for(type), slot_for(type), slot_for(type));
}

void build_add(Builder& b) {
  for (const std::string_view modifier : b.instruction().modifiers)
    if (modifier == "cc") return build_with_carry<false, false>(b);
  build_add_or_subtract<Add, AddSaturating>(b);
}

void build_subtract(Builder& b) {
  for (const std::string_view modifier : b.instruction().modifiers)
    if (modifier == "cc") return build_with_carry<true, false>(b);
  build_add_or_subtract<Subtract, SubtractSaturating>(b);
}

/// mad.lo.cc, mad.hi.cc and madc: a product's half added with carry.
template <bool High, bool Reads, bool Writes, class T>
const Insn* multiply_add_carry(Warp& warp, const Insn* insn) {
  const T* x = lanes_at<T>(warp, insn->a);
  const T* y = lanes_at<T>(warp, insn->b);
  const T* z = lanes_at<T>(warp, insn->c);
  T* d = lanes_at<T>(warp, insn->dst);
  each_lane(guarded_lanes(warp, insn), [&](int lane) {
    const T product = High ? MultiplyHigh::apply(x[lane], y[lane]) : MultiplyLow::apply(x[lane], y[lane]);
    const T carry_in = Reads ? warp.carry >> lane & 1 : 0;
    const T partial = product + z[lane];
    const T result = partial + carry_in;
    const bool carry_out = partial < product || result < partial;
    d[lane] = result;
    if (Writes) set_mask(warp.carry, Mask{1} << lane, carry_out ? kAllLanes : 0);
  });
  return insn + 1;
}

template <bool Reads, bool Writes>
void emit_multiply_add_carry(Builder& b) {
  const bool high = b.take_one_of({"lo", "hi"}) == 1;
  const ptx::Type type = b.take_type();
  // The carry is that of the sum of bit patterns; the high half of a signed product would need its own product.
  if (type != ptx::Type::kU32 && type != ptx::Type::kU64 &&
      (high || (type != ptx::Type::kS32 && type != ptx::Type::kS64)))
    b.refuse(b.spelled());
  const bool wide = slot_for(type) == SlotSize::k64;
  const Handler handler = wide ? (high ? &multiply_add_carry<true, Reads, Writes, std::uint64_t>
                                       : &multiply_add_carry<false, Reads, Writes, std::uint64_t>)
                               : (high ? &multiply_add_carry<true, Reads, Writes, std::uint32_t>
                                       : &multiply_add_carry<false, Reads, Writes, std::uint32_t>);
  const SlotSize size = slot_for(type);
  emit_ternary(b, handler, size, size, size, size);
}

void build_mad(Builder& b) {
  if (b.take("cc")) return emit_multiply_add_carry<false, true>(b);
  build_multiply_add(b);
}

void build_madc(Builder& b) {
  if (b.take("cc")) return emit_multiply_add_carry<true, true>(b);
  emit_multiply_add_carry<true, false>(b);
}

void build_dot_4(Builder& b) {
  const bool a_signed = is_signed(b.take_type());
  const bool b_signed = is_signed(b.take_type());
  using S = std::int8_t;
  using U = std::uint8_t;
  Handler handler;
  if (a_signed || b_signed) {
    handler =
        a_signed
            ? (b_signed ? &ternary<Dot4<S, S, std::int32_t>, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t>
                        : &ternary<Dot4<S, U, std::int32_t>, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t>)
            : &ternary<Dot4<U, S, std::int32_t>, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t>;
  } else {
    handler = &ternary<Dot4<U, U, std::uint32_t>, std::uint32_t, std::uint32_t>;
  }
  emit_ternary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

template <bool Upper>
Handler dot_2_handler(bool a_signed, bool b_signed) {
  using SA = std::int16_t;
  using UA = std::uint16_t;
  using SB = std::int8_t;
  using UB = std::uint8_t;
  if (!a_signed && !b_signed) return &ternary<Dot2<UA, UB, std::uint32_t, Upper>, std::uint32_t, std::uint32_t>;
  if (!a_signed)
    return &ternary<Dot2<UA, SB, std::int32_t, Upper>, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t>;
  if (!b_signed)
    return &ternary<Dot2<SA, UB, std::int32_t, Upper>, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t>;
  return &ternary<Dot2<SA, SB, std::int32_t, Upper>, std::int32_t, std::uint32_t, std::uint32_t, std::int32_t>;
}

void build_dot_2(Builder& b) {
  const int half = b.take_one_of({"lo", "hi"});
  if (half < 0) b.refuse(b.spelled());
  const bool a_signed = is_signed(b.take_type());
  const bool b_signed = is_signed(b.take_type());
  const Handler handler =
      half == 1 ? dot_2_handler<true>(a_signed, b_signed) : dot_2_handler<false>(a_signed, b_signed);
  emit_ternary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

constexpr OpcodeRow kRows[] = {
    {"add", &build_add},
    {"sub", &build_subtract},
    {"addc", &build_with_carry<false, true>},
    {"subc", &build_with_carry<true, true>},
    {"mul", &build_multiply},
    {"mad", &build_mad},
    {"madc", &build_madc},
    {"mul24", &build_multiply_24},
    {"mad24", &build_multiply_add_24},
    {"div", &build_divide},
    {"rem", &build_remainder},
    {"min", &build_minimum_or_maximum<Minimum, MinimumNotNegative>},
    {"max", &build_minimum_or_maximum<Maximum, MaximumNotNegative>},
    {"neg", &build_sign<Negate>},
    {"abs", &build_sign<Absolute>},
    {"sad", &build_sum_of_absolute_differences},
    {"dp4a", &build_dot_4},
    {"dp2a", &build_dot_2},
};

}  // namespace

const OpcodeTable VGPU_ROWS(arithmetic) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
