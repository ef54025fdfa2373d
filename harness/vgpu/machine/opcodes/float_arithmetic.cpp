// Floating-point arithmetic: add, sub, mul, fma, div, min, max, and the functions of one argument.
#include "harness/vgpu/machine/opcodes/float_lanes.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {

// The forms on 16-bit floats of these opcodes and of arithmetic.cpp's live in half_arithmetic.cpp.
bool VGPU_OF_ISA(build_half_arithmetic)(Builder& b, ptx::Type type);

namespace {

struct Add {
  template <class T>
  static T apply(T a, T b) {
    return a + b;
  }
};
struct Subtract {
  template <class T>
  static T apply(T a, T b) {
    return a - b;
  }
};
struct Multiply {
  template <class T>
  static T apply(T a, T b) {
    return a * b;
  }
};
struct FusedMultiplyAdd {
  static float apply(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  static double apply(double a, double b, double c) { return __builtin_fma(a, b, c); }
};
struct Divide {
  template <class T>
  static T apply(T a, T b) {
    return a / b;
  }
};
/// div.approx.f32: a divisor beyond 2^126 has a reciprocal that is flushed to zero. (PTX ISA, div)
struct DivideApproximately {
  static float apply(float a, float b) { return std::fabs(b) > 0x1p126f ? a * std::copysign(0.0f, b) : a / b; }
};
struct Reciprocal {
  template <class T>
  static T apply(T a) {
    return T{1} / a;
  }
};
struct SquareRoot {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};

// The approximate functions: computed in double and rounded once, which is well inside the error NVIDIA documents.
struct ReciprocalSquareRoot {
  static float apply(float a) { return static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(a))); }
  static double apply(double a) { return 1.0 / __builtin_sqrt(a); }
};
struct Sine {
  static float apply(float a) { return static_cast<float>(std::sin(static_cast<double>(a))); }
};
struct Cosine {
  static float apply(float a) { return static_cast<float>(std::cos(static_cast<double>(a))); }
};
struct Exponential2 {
  static float apply(float a) { return static_cast<float>(std::exp2(static_cast<double>(a))); }
};
struct Logarithm2 {
  static float apply(float a) { return static_cast<float>(std::log2(static_cast<double>(a))); }
};
struct HyperbolicTangent {
  static float apply(float a) { return static_cast<float>(std::tanh(static_cast<double>(a))); }
};

/// Op as .approx.ftz does it in double precision: on the upper 32 bits alone, with one NaN. (PTX ISA,
/// rcp.approx.ftz.f64)
template <class Op>
struct UpperHalf {
  static double apply(double a) {
    constexpr std::uint64_t kUpper = 0xFFFFFFFF00000000u;
    const double result = flushed(Op::apply(flushed(double_from(bits_of(a) & kUpper))));
    return double_from(result == result ? bits_of(result) & kUpper : 0x7FFFFFFF00000000u);
  }
};

// Of two numbers the smaller, -0 before +0; a NaN loses against a number. Two NaNs give one of them, made quiet. (PTX
// ISA, min and max; that it is quiet: read from an H200)
struct Minimum {
  template <class T>
  static T apply(T a, T b) {
    if (a != a) return b != b ? a + b : b;
    if (a == b) return std::signbit(a) ? a : b;
    return a < b || b != b ? a : b;
  }
};
struct Maximum {
  template <class T>
  static T apply(T a, T b) {
    if (a != a) return b != b ? a + b : b;
    if (a == b) return std::signbit(a) ? b : a;
    return a > b || b != b ? a : b;
  }
};
/// .NaN: a NaN wins.
template <class Op>
struct NanWins {
  template <class T>
  static T apply(T a, T b) {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : Op::apply(a, b);
  }
};

// Sign operations work on bits. A NaN becomes the canonical one in single precision (as an H200 does) and keeps its
// payload in double.
struct Negate {
  static float apply(float a) { return float_from(bits_of(a) ^ 0x80000000u); }
  static double apply(double a) { return double_from(bits_of(a) ^ 0x8000000000000000u); }
};
struct Absolute {
  static float apply(float a) { return float_from(bits_of(a) & 0x7FFFFFFFu); }
  static double apply(double a) { return double_from(bits_of(a) & 0x7FFFFFFFFFFFFFFFu); }
};
struct CopySign {  // copysign d, a, b: b with a's sign
  static float apply(float a, float b) { return float_from((bits_of(a) & 0x80000000u) | (bits_of(b) & 0x7FFFFFFFu)); }
  static double apply(double a, double b) {
    return double_from((bits_of(a) & 0x8000000000000000u) | (bits_of(b) & 0x7FFFFFFFFFFFFFFFu));
  }
};
// --- two and three operands with rounding, .ftz and .sat ---

/// Op over the lanes with the rounding mode that the instruction's offset holds.
template <class Op, class T, class... Sources>
inline const Insn* apply_directed(Warp& warp, const Insn* insn, const Sources*... sources) {
  T* d = lanes_at<T>(warp, insn->dst);
  const Mask lanes = guarded_lanes(warp, insn);
  {
    const RoundingMode mode(static_cast<Rounding>(insn->offset));
    set_lanes(d, lanes, [=](int lane) { return with_default_nan<Op>(sources[lane]...); });
  }
  canonicalise(d, lanes);
  return insn + 1;
}
template <class Op, class T, bool Flush, bool Saturate>
const Insn* directed_binary(Warp& warp, const Insn* insn) {
  return apply_directed<Modified<Op, Flush, Saturate>, T>(warp, insn, lanes_at<T>(warp, insn->a),
                                                          lanes_at<T>(warp, insn->b));
}
template <class Op, class T, bool Flush, bool Saturate>
const Insn* directed_ternary(Warp& warp, const Insn* insn) {
  return apply_directed<Modified<Op, Flush, Saturate>, T>(warp, insn, lanes_at<T>(warp, insn->a),
                                                          lanes_at<T>(warp, insn->b), lanes_at<T>(warp, insn->c));
}
template <class Op, class T, bool Flush>
const Insn* directed_unary(Warp& warp, const Insn* insn) {
  return apply_directed<Modified<Op, Flush, false>, T>(warp, insn, lanes_at<T>(warp, insn->a));
}

struct Modifiers {
  Rounding rounding;
  bool flush, saturate;
};

Modifiers take_modifiers(Builder& b) {
  const int rounding = b.take_one_of({"rn", "rz", "rm", "rp"});
  const bool flush = b.take("ftz");
  return {rounding_of(rounding), flush, b.take("sat")};
}

template <class Op>
Handler binary_handler(const Modifiers& m, bool is_double) {
  const bool nearest = m.rounding == Rounding::kNearest;
  if (is_double)
    return nearest ? &float_binary<Modified<Op, false, false>, double> : &directed_binary<Op, double, false, false>;
  if (m.flush && m.saturate) return &directed_binary<Op, float, true, true>;
  if (m.saturate) return &directed_binary<Op, float, false, true>;
  if (m.flush)
    return nearest ? &float_binary<Modified<Op, true, false>, float> : &directed_binary<Op, float, true, false>;
  return nearest ? &float_binary<Modified<Op, false, false>, float> : &directed_binary<Op, float, false, false>;
}

template <class Op>
void emit_rounded_binary(Builder& b, bool is_double) {
  const Modifiers m = take_modifiers(b);
  if (is_double && (m.flush || m.saturate)) b.refuse(b.spelled());
  b.insn.offset = static_cast<std::int64_t>(m.rounding);
  const SlotSize size = is_double ? SlotSize::k64 : SlotSize::k32;
  emit_binary(b, binary_handler<Op>(m, is_double), size, size, size);
}

void emit_fused(Builder& b, bool is_double) {
  using Op = FusedMultiplyAdd;
  const Modifiers m = take_modifiers(b);
  const bool nearest = m.rounding == Rounding::kNearest;
  if (is_double && (m.flush || m.saturate)) b.refuse(b.spelled());
  Handler handler;
  if (is_double) {
    handler =
        nearest ? &float_ternary<Modified<Op, false, false>, double> : &directed_ternary<Op, double, false, false>;
  } else if (m.saturate) {
    handler = m.flush ? &directed_ternary<Op, float, true, true> : &directed_ternary<Op, float, false, true>;
  } else if (m.flush) {
    handler = nearest ? &float_ternary<Modified<Op, true, false>, float> : &directed_ternary<Op, float, true, false>;
  } else {
    handler = nearest ? &float_ternary<Modified<Op, false, false>, float> : &directed_ternary<Op, float, false, false>;
  }
  b.insn.offset = static_cast<std::int64_t>(m.rounding);
  const SlotSize size = is_double ? SlotSize::k64 : SlotSize::k32;
  emit_ternary(b, handler, size, size, size, size);
}

/// min and max: no rounding, so the modifiers are .ftz and .NaN.
template <class Op>
void emit_extremum(Builder& b, bool is_double) {
  const bool flush = b.take("ftz");
  const bool nan_wins = b.take("NaN");
  const SlotSize size = is_double ? SlotSize::k64 : SlotSize::k32;
  Handler handler;
  if (is_double) {
    if (flush || nan_wins) b.refuse(b.spelled());
    handler = &float_binary<Op, double>;
  } else if (nan_wins) {
    handler = flush ? &float_binary<Modified<NanWins<Op>, true, false>, float>
                    : &float_binary<Modified<NanWins<Op>, false, false>, float>;
  } else {
    handler =
        flush ? &float_binary<Modified<Op, true, false>, float> : &float_binary<Modified<Op, false, false>, float>;
  }
  emit_binary(b, handler, size, size, size);
}

template <class Op>
void emit_sign(Builder& b, bool is_double) {
  const bool flush = b.take("ftz");
  if (is_double && flush) b.refuse(b.spelled());
  const SlotSize size = is_double ? SlotSize::k64 : SlotSize::k32;
  Handler handler = &unary<Op, double, double>;
  if (!is_double) handler = flush ? &float_unary<Modified<Op, true, false>, float> : &float_unary<Op, float>;
  emit_unary(b, handler, size, size);
}

/// rcp, sqrt, rsqrt: .approx or a rounding; f32 and f64.
template <class Op>
void build_root(Builder& b) {
  const bool is_approximate = b.take("approx");
  const Rounding rounding = rounding_of(is_approximate ? 0 : b.take_one_of({"rn", "rz", "rm", "rp"}));
  const bool flush = b.take("ftz");
  const ptx::Type type = b.take_type();
  Handler handler;
  if (type == ptx::Type::kF64) {
    handler = is_approximate && flush ? &float_unary<UpperHalf<Op>, double> : &directed_unary<Op, double, false>;
  } else if (type == ptx::Type::kF32) {
    handler = flush ? &directed_unary<Op, float, true> : &directed_unary<Op, float, false>;
    if (rounding == Rounding::kNearest)
      handler =
          flush ? &float_unary<Modified<Op, true, false>, float> : &float_unary<Modified<Op, false, false>, float>;
  } else {
    b.refuse(b.spelled());
  }
  b.insn.offset = static_cast<std::int64_t>(rounding);
  emit_unary(b, handler, slot_for(type), slot_for(type));
}

/// sin, cos, ex2, lg2, tanh: .approx.f32, and 16-bit floats.
template <class Op>
void build_approximate(Builder& b) {
  const ptx::Type type = b.take_type();
  if (VGPU_OF_ISA(build_half_arithmetic)(b, type)) return;
  if (!b.take("approx") || type != ptx::Type::kF32) b.refuse(b.spelled());
  const bool flush = b.take("ftz");
  const Handler handler =
      flush ? &float_unary<Modified<Op, true, false>, float> : &float_unary<Modified<Op, false, false>, float>;
  emit_unary(b, handler, SlotSize::k32, SlotSize::k32);
}

void build_fma(Builder& b) {
  const ptx::Type type = b.take_type();
  if (VGPU_OF_ISA(build_half_arithmetic)(b, type)) return;
  if (type != ptx::Type::kF32 && type != ptx::Type::kF64) b.refuse(b.spelled());
  emit_fused(b, type == ptx::Type::kF64);
}

void build_copysign(Builder& b) {
  const ptx::Type type = b.take_type();
  if (type != ptx::Type::kF32 && type != ptx::Type::kF64) b.refuse(b.spelled());
  const bool is_double = type == ptx::Type::kF64;
  emit_binary(b, is_double ? &binary<CopySign, double, double> : &binary<CopySign, float, float>, slot_for(type),
              slot_for(type), slot_for(type));
}

// --- testp: questions about one number ---

enum class Question { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };

template <Question Asked, class T>
const Insn* test_property(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  Mask answers = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const int kind = std::fpclassify(a[lane]);
    const bool yes = Asked == Question::kFinite       ? kind != FP_NAN && kind != FP_INFINITE
                     : Asked == Question::kInfinite   ? kind == FP_INFINITE
                     : Asked == Question::kNumber     ? kind != FP_NAN
                     : Asked == Question::kNotANumber ? kind == FP_NAN
                     : Asked == Question::kNormal     ? kind == FP_NORMAL
                                                      : kind == FP_SUBNORMAL;
    answers |= static_cast<Mask>(yes) << lane;
  }
  set_mask(mask_at(warp, insn->dst), guarded_lanes(warp, insn), answers);
  return insn + 1;
}

template <class T>
Handler test_handler(int question) {
  switch (question) {
    case 0:
      return &test_property<Question::kFinite, T>;
    case 1:
      return &test_property<Question::kInfinite, T>;
    case 2:
      return &test_property<Question::kNumber, T>;
    case 3:
      return &test_property<Question::kNotANumber, T>;
    case 4:
      return &test_property<Question::kNormal, T>;
    default:
      return &test_property<Question::kSubnormal, T>;
  }
}

void build_test_property(Builder& b) {
  const int question = b.take_one_of({"finite", "infinite", "number", "notanumber", "normal", "subnormal"});
  const ptx::Type type = b.take_type();
  if (question < 0 || (type != ptx::Type::kF32 && type != ptx::Type::kF64)) b.refuse(b.spelled());
  b.write(b.insn.dst, b.operand(0), SlotSize::kMask);
  b.read(b.insn.a, b.operand(1), slot_for(type));
  b.emit(type == ptx::Type::kF64 ? test_handler<double>(question) : test_handler<float>(question));
}

constexpr OpcodeRow kRows[] = {
    {"fma", &build_fma},
    {"rcp", &build_root<Reciprocal>},
    {"sqrt", &build_root<SquareRoot>},
    {"rsqrt", &build_root<ReciprocalSquareRoot>},
    {"sin", &build_approximate<Sine>},
    {"cos", &build_approximate<Cosine>},
    {"ex2", &build_approximate<Exponential2>},
    {"lg2", &build_approximate<Logarithm2>},
    {"tanh", &build_approximate<HyperbolicTangent>},
    {"copysign", &build_copysign},
    {"testp", &build_test_property},
};

}  // namespace

/// The floating-point forms of opcodes whose rows are in arithmetic.cpp. False if `type` is not floating point.
bool VGPU_OF_ISA(build_float_arithmetic)(Builder& b, ptx::Type type);
bool VGPU_OF_ISA(build_float_arithmetic)(Builder& b, ptx::Type type) {
  if (type != ptx::Type::kF32 && type != ptx::Type::kF64) return VGPU_OF_ISA(build_half_arithmetic)(b, type);
  const bool is_double = type == ptx::Type::kF64;
  const std::string_view opcode = b.instruction().opcode;
  if (opcode == "add") {
    emit_rounded_binary<Add>(b, is_double);
  } else if (opcode == "sub") {
    emit_rounded_binary<Subtract>(b, is_double);
  } else if (opcode == "mul") {
    emit_rounded_binary<Multiply>(b, is_double);
  } else if (opcode == "mad") {
    emit_fused(b, is_double);
  } else if (opcode == "div") {
    const int approximate = b.take_one_of({"approx", "full"});
    if (approximate >= 0 && is_double) b.refuse(b.spelled());
    if (approximate == 0)
      emit_rounded_binary<DivideApproximately>(b, is_double);
    else
      emit_rounded_binary<Divide>(b, is_double);
  } else if (opcode == "min") {
    emit_extremum<Minimum>(b, is_double);
  } else if (opcode == "max") {
    emit_extremum<Maximum>(b, is_double);
  } else if (opcode == "neg") {
    emit_sign<Negate>(b, is_double);
  } else if (opcode == "abs") {
    emit_sign<Absolute>(b, is_double);
  } else {
    return false;
  }
  return true;
}

const OpcodeTable VGPU_ROWS(float_arithmetic) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
