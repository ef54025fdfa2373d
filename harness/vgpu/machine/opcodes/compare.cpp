// Comparison and selection: setp, set, selp, slct.
#include "harness/vgpu/machine/opcodes/float_lanes.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {

// Comparisons of 16-bit floats live in half_compare.cpp.
bool VGPU_OF_ISA(build_half_setp)(Builder& b, ptx::Type type);
bool VGPU_OF_ISA(build_half_set)(Builder& b, ptx::Type to, ptx::Type type);

namespace {

// Ordered comparisons are false when an operand is NaN, the unordered ones (…u) true.
struct Equal {
  template <class T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct NotEqual {
  template <class T>
  static bool apply(T a, T b) {
    return (a < b) | (a > b);
  }
};
struct Less {
  template <class T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct LessEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct Greater {
  template <class T>
  static bool apply(T a, T b) {
    return a > b;
  }
};
struct GreaterEqual {
  template <class T>
  static bool apply(T a, T b) {
    return a >= b;
  }
};
template <class Opposite>
struct Unless {
  template <class T>
  static bool apply(T a, T b) {
    return !Opposite::apply(a, b);
  }
};
struct BothNumbers {
  template <class T>
  static bool apply(T a, T b) {
    return (a == a) & (b == b);
  }
};

template <class Op, class T, bool Flush>
inline __attribute__((always_inline)) Mask compare(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  const T* b = lanes_at<T>(warp, insn->b);
  alignas(64) std::uint32_t flags[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    if constexpr (Flush)
      flags[lane] = Op::apply(flushed(a[lane]), flushed(b[lane]));
    else
      flags[lane] = Op::apply(a[lane], b[lane]);
  }
  return pack(flags);
}

/// setp p, a, b
template <class Op, class T, bool Flush>
const Insn* set_predicate(Warp& warp, const Insn* insn) {
  set_mask(mask_at(warp, insn->dst), guarded_lanes(warp, insn), compare<Op, T, Flush>(warp, insn));
  VGPU_NEXT(warp, insn);
}

/// How setp combines its result with a third operand, and where a second result goes.
struct Combination {
  enum class With : std::int64_t { kNothing, kAnd, kOr, kXor };
};

/// setp.and p|q, a, b, c: p = result op c, q = !result op c. `c` is the predicate, the list holds q, the offset the
/// operation and whether c is negated.
template <class Op, class T, bool Flush>
const Insn* set_predicates(Warp& warp, const Insn* insn) {
  const Mask lanes = guarded_lanes(warp, insn);
  const Mask result = compare<Op, T, Flush>(warp, insn);
  const Mask third = mask_at(warp, insn->c) ^ static_cast<Mask>(insn->offset >> 32);
  const auto combined = [&](Mask value) {
    switch (static_cast<Combination::With>(insn->offset & 0xFF)) {
      case Combination::With::kAnd:
        return value & third;
      case Combination::With::kOr:
        return value | third;
      case Combination::With::kXor:
        return value ^ third;
      default:
        return value;
    }
  };
  const Mask first = combined(result), second = combined(~result);
  set_mask(mask_at(warp, insn->dst), lanes, first);
  if (insn->extra != nullptr)
    set_mask(mask_at(warp, (*static_cast<const std::vector<std::uint32_t>*>(insn->extra))[0]), lanes, second);
  VGPU_NEXT(warp, insn);
}

/// set.CmpOp.dtype.stype d, a, b: all ones or 1.0 where the comparison holds.
template <class Op, class T, bool Flush>
const Insn* set_value(Warp& warp, const Insn* insn) {
  const Mask result = compare<Op, T, Flush>(warp, insn);
  const auto yes = static_cast<std::uint32_t>(insn->offset);
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return (result >> lane & 1) != 0 ? yes : 0u; });
  VGPU_NEXT(warp, insn);
}

enum class Form { kOne, kCombined, kValue };

template <class Op, class T, bool Flush>
Handler comparison(Form form) {
  switch (form) {
    case Form::kOne:
      return &set_predicate<Op, T, Flush>;
    case Form::kCombined:
      return &set_predicates<Op, T, Flush>;
    case Form::kValue:
      return &set_value<Op, T, Flush>;
  }
  return nullptr;
}

/// The comparisons every type has.
template <class T, bool Flush>
Handler ordered_comparison(std::string_view op, Form form) {
  if (op == "eq") return comparison<Equal, T, Flush>(form);
  if (op == "ne") return comparison<NotEqual, T, Flush>(form);
  if (op == "lt" || op == "lo") return comparison<Less, T, Flush>(form);
  if (op == "le" || op == "ls") return comparison<LessEqual, T, Flush>(form);
  if (op == "gt" || op == "hi") return comparison<Greater, T, Flush>(form);
  if (op == "ge" || op == "hs") return comparison<GreaterEqual, T, Flush>(form);
  return nullptr;
}

template <class T, bool Flush>
Handler float_comparison(std::string_view op, Form form) {
  if (op == "equ") return comparison<Unless<NotEqual>, T, Flush>(form);
  if (op == "neu") return comparison<Unless<Equal>, T, Flush>(form);
  if (op == "ltu") return comparison<Unless<GreaterEqual>, T, Flush>(form);
  if (op == "leu") return comparison<Unless<Greater>, T, Flush>(form);
  if (op == "gtu") return comparison<Unless<LessEqual>, T, Flush>(form);
  if (op == "geu") return comparison<Unless<Less>, T, Flush>(form);
  if (op == "num") return comparison<BothNumbers, T, Flush>(form);
  if (op == "nan") return comparison<Unless<BothNumbers>, T, Flush>(form);
  return ordered_comparison<T, Flush>(op, form);
}

Handler comparison_for(Builder& b, ptx::Type type, std::string_view op, bool flush, Form form) {
  Handler handler = nullptr;
  if (type == ptx::Type::kF32) {
    handler = flush ? float_comparison<float, true>(op, form) : float_comparison<float, false>(op, form);
  } else if (type == ptx::Type::kF64 && !flush) {
    handler = float_comparison<double, false>(op, form);
  } else if (!flush) {
    // .lo and similar compare as unsigned whatever the type says.
    const bool as_unsigned = op == "lo" || op == "ls" || op == "hi" || op == "hs";
    handler = for_integer(b, type, [&](auto tag) -> Handler {
      using T = typename decltype(tag)::type;
      if (as_unsigned) return ordered_comparison<std::make_unsigned_t<T>, false>(op, form);
      return ordered_comparison<T, false>(op, form);
    });
  }
  if (handler == nullptr) b.refuse(b.spelled());
  return handler;
}

/// The comparison is the first modifier that is one.
std::string_view take_comparison(Builder& b) {
  for (const std::string_view op : {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu",
                                    "leu", "gtu", "geu", "num", "nan"})
    if (b.take(op)) return op;
  b.refuse(b.spelled());
}

void build_setp(Builder& b) {
  const ptx::Type type = b.take_type();
  if (VGPU_OF_ISA(build_half_setp)(b, type)) return;
  const std::string_view op = take_comparison(b);
  const int with = b.take_one_of({"and", "or", "xor"});
  const bool flush = b.take("ftz");
  const ptx::Operand& to = b.operand(0);
  const bool two_results = to.kind == ptx::Operand::Kind::kVector;
  if (two_results) {
    std::vector<std::uint32_t>& second = b.operand_list(1);
    b.write(b.insn.dst, to.elements.at(0), SlotSize::kMask);
    b.write(second[0], to.elements.at(1), SlotSize::kMask);
    b.insn.extra = &second;
  } else {
    b.write(b.insn.dst, to, SlotSize::kMask);
  }
  b.read(b.insn.a, b.operand(1), slot_for(type));
  b.read(b.insn.b, b.operand(2), slot_for(type));
  Mask flip = 0;
  if (with >= 0) b.read_predicate(b.insn.c, flip, b.operand(3));
  b.insn.offset = static_cast<std::int64_t>(std::uint64_t{flip} << 32 | static_cast<std::uint64_t>(with + 1));
  b.emit(comparison_for(b, type, op, flush, with < 0 && !two_results ? Form::kOne : Form::kCombined));
}

void build_set(Builder& b) {
  const ptx::Type to = b.take_type();
  const ptx::Type type = b.take_type();
  if (VGPU_OF_ISA(build_half_set)(b, to, type)) return;
  const std::string_view op = take_comparison(b);
  if (b.take_one_of({"and", "or", "xor"}) >= 0) b.refuse(b.spelled());
  const bool flush = b.take("ftz");
  if (slot_for(to) != SlotSize::k32) b.refuse(b.spelled());
  b.insn.offset = to == ptx::Type::kF32 ? static_cast<std::int64_t>(bits_of(1.0f)) : 0xFFFFFFFF;
  emit_binary(b, comparison_for(b, type, op, flush, Form::kValue), SlotSize::k32, slot_for(type), slot_for(type));
}

// --- selection ---

template <class T>
const Insn* select(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  const T* b = lanes_at<T>(warp, insn->b);
  const Mask chosen = mask_at(warp, insn->c) ^ static_cast<Mask>(insn->offset);
  set_lanes(lanes_at<T>(warp, insn->dst), guarded_lanes(warp, insn),
            [=](int lane) { return (chosen >> lane & 1) != 0 ? a[lane] : b[lane]; });
  VGPU_NEXT(warp, insn);
}

Handler select_handler(Builder& b, SlotSize size) {
  switch (size) {
    case SlotSize::k16:
      return &select<std::uint16_t>;
    case SlotSize::k32:
      return &select<std::uint32_t>;
    case SlotSize::k64:
      return &select<std::uint64_t>;
    default:
      b.refuse(b.spelled());
  }
}

void build_selp(Builder& b) {
  const SlotSize size = slot_for(b.take_type());
  b.write(b.insn.dst, b.operand(0), size);
  b.read(b.insn.a, b.operand(1), size);
  b.read(b.insn.b, b.operand(2), size);
  Mask flip;
  b.read_predicate(b.insn.c, flip, b.operand(3));
  b.insn.offset = flip;
  b.emit(select_handler(b, size));
}

/// slct d, a, b, c: a where c >= 0 (for floats -0 included, NaN not), else b. A flushed c is a zero, so a negative
/// subnormal chooses a as well.
template <class T, class C, bool Flush>
const Insn* select_by_sign(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  const T* b = lanes_at<T>(warp, insn->b);
  const C* c = lanes_at<C>(warp, insn->c);
  set_lanes(lanes_at<T>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    if constexpr (Flush)
      return flushed(c[lane]) >= 0 ? a[lane] : b[lane];
    else
      return c[lane] >= 0 ? a[lane] : b[lane];
  });
  VGPU_NEXT(warp, insn);
}

template <class T>
Handler select_by_sign_handler(bool by_float, bool flush) {
  if (!by_float) return &select_by_sign<T, std::int32_t, false>;
  return flush ? &select_by_sign<T, float, true> : &select_by_sign<T, float, false>;
}

void build_slct(Builder& b) {
  const bool flush = b.take("ftz");
  const SlotSize size = slot_for(b.take_type());
  const ptx::Type by = b.take_type();
  const bool by_float = by == ptx::Type::kF32;
  if ((by != ptx::Type::kS32 && !by_float) || (flush && !by_float)) b.refuse(b.spelled());
  Handler handler;
  switch (size) {
    case SlotSize::k16:
      handler = select_by_sign_handler<std::uint16_t>(by_float, flush);
      break;
    case SlotSize::k32:
      handler = select_by_sign_handler<std::uint32_t>(by_float, flush);
      break;
    case SlotSize::k64:
      handler = select_by_sign_handler<std::uint64_t>(by_float, flush);
      break;
    default:
      b.refuse(b.spelled());
  }
  emit_ternary(b, handler, size, size, size, SlotSize::k32);
}

constexpr OpcodeRow kRows[] = {
    {"setp", &build_setp},
    {"set", &build_set},
    {"selp", &build_selp},
    {"slct", &build_slct},
};

}  // namespace

const OpcodeTable VGPU_ROWS(compare) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
