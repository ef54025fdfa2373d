// Logic and bit fields: and, or, xor, not, cnot, lop3, shifts, funnel shifts, bfe, bfi, bmsk, szext, brev, popc, clz,
// bfind, fns, prmt.
#include "harness/vgpu/machine/opcodes/lane_loops.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

struct And {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct LogicalNot {
  template <class T>
  static T apply(T a) {
    return a == 0 ? T{1} : T{0};
  }
};

// Shift amounts are 32-bit and clamp at the width.
struct ShiftLeft {
  template <class T>
  static T apply(T a, std::uint32_t by) {
    return by >= 8 * sizeof(T) ? T{0} : static_cast<T>(static_cast<std::uint64_t>(a) << by);
  }
};
struct ShiftRight {
  template <class T>
  static T apply(T a, std::uint32_t by) {
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    if (std::is_signed_v<T>) return static_cast<T>(a >> (by >= kWidth ? kWidth - 1 : by));
    return by >= kWidth ? T{0} : static_cast<T>(a >> by);
  }
};

/// shf: 32 bits out of the 64 of b:a.
template <bool Left, bool Wrap>
struct FunnelShift {
  static std::uint32_t apply(std::uint32_t low, std::uint32_t high, std::uint32_t by) {
    const std::uint32_t n = Wrap ? by & 31 : (by < 32 ? by : 32);
    const std::uint64_t both = std::uint64_t{high} << 32 | low;
    return static_cast<std::uint32_t>(Left ? both >> (32 - n) : both >> n);
  }
};

struct BitFieldExtract {
  template <class T>
  static T apply(T a, std::uint32_t start, std::uint32_t length) {
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    using U = std::make_unsigned_t<T>;
    start &= 0xFF;
    length &= 0xFF;
    if (length == 0) return 0;
    const std::uint32_t top =
        start + length - 1 < kWidth - 1 ? start + length - 1 : kWidth - 1;  // holds the field's sign
    const bool negative = std::is_signed_v<T> && (static_cast<U>(a) >> top & 1) != 0;
    U field = start < kWidth ? static_cast<U>(a) >> start : U{0};
    const std::uint32_t present = start < kWidth ? top - start + 1 : 0;
    if (present < kWidth) {
      const U kept = (U{1} << present) - 1;
      field = negative ? (field & kept) | ~kept : field & kept;
    }
    return static_cast<T>(field);
  }
};

/// bfi f, a, b, start, length: b with a's low bits put in.
template <class T>
const Insn* bit_field_insert(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  const T* b = lanes_at<T>(warp, insn->b);
  const std::uint32_t* start = lanes_at<std::uint32_t>(warp, insn->c);
  const std::uint32_t* length = lanes_at<std::uint32_t>(
      warp, static_cast<std::uint32_t>((*static_cast<const std::vector<std::uint32_t>*>(insn->extra))[0]));
  set_lanes(lanes_at<T>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    const std::uint32_t s = start[lane] & 0xFF, n = length[lane] & 0xFF;
    if (n == 0 || s >= kWidth) return b[lane];
    const T field = n >= kWidth ? ~T{0} : (T{1} << n) - 1;
    return static_cast<T>((b[lane] & ~static_cast<T>(field << s)) | static_cast<T>((a[lane] & field) << s));
  });
  return insn + 1;
}

struct BitMask {  // bmsk: `length` ones from `start` on
  static std::uint32_t apply(std::uint32_t start, std::uint32_t length) {
    if (start >= 32) return 0;
    const std::uint32_t n = length < 32 ? length : 32;
    const std::uint64_t ones = (std::uint64_t{1} << n) - 1;
    return static_cast<std::uint32_t>(ones << start);
  }
};
struct BitMaskWrapping {
  static std::uint32_t apply(std::uint32_t start, std::uint32_t length) {
    return BitMask::apply(start & 31, length & 31);
  }
};

/// szext: the low `n` bits, sign- or zero-extended.
template <bool Wrap>
struct SignOrZeroExtend {
  template <class T>
  static T apply(T a, std::uint32_t n) {
    if (Wrap) n &= 31;
    if (n >= 32) return a;
    if (n == 0) return 0;
    const auto up = static_cast<std::uint32_t>(a) << (32 - n);
    return static_cast<T>(static_cast<T>(up) >> (32 - n));
  }
};

struct ReverseBits {
  template <class T>
  static T apply(T a) {
    std::uint64_t v = static_cast<std::uint64_t>(a) << (64 - 8 * sizeof(T));
    v = (v >> 1 & 0x5555555555555555u) | (v & 0x5555555555555555u) << 1;
    v = (v >> 2 & 0x3333333333333333u) | (v & 0x3333333333333333u) << 2;
    v = (v >> 4 & 0x0F0F0F0F0F0F0F0Fu) | (v & 0x0F0F0F0F0F0F0F0Fu) << 4;
    return static_cast<T>(__builtin_bswap64(v));
  }
};
struct PopulationCount {
  template <class T>
  static std::uint32_t apply(T a) {
    return static_cast<std::uint32_t>(__builtin_popcountll(a));
  }
};
struct CountLeadingZeros {
  template <class T>
  static std::uint32_t apply(T a) {
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    return a == 0 ? kWidth : static_cast<std::uint32_t>(__builtin_clzll(a)) - (64 - kWidth);
  }
};
/// bfind: position of the highest bit that differs from the sign, or all ones; `.shiftamt` counts from the top instead.
template <bool ShiftAmount>
struct FindBit {
  template <class T>
  static std::uint32_t apply(T a) {
    using U = std::make_unsigned_t<T>;
    constexpr std::uint32_t kWidth = 8 * sizeof(T);
    const U bits = std::is_signed_v<T> && a < 0 ? static_cast<U>(~a) : static_cast<U>(a);
    if (bits == 0) return ~0u;
    const std::uint32_t position = 63 - static_cast<std::uint32_t>(__builtin_clzll(bits));
    return ShiftAmount ? kWidth - 1 - position : position;
  }
};
struct FindNthSet {  // fns d, mask, base, offset
  static std::uint32_t apply(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
    if (base > 31) return ~0u;
    if (offset == 0) return (mask >> base & 1) != 0 ? base : ~0u;
    const int step = offset > 0 ? 1 : -1;
    std::int64_t left = offset > 0 ? offset : -std::int64_t{offset};
    for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step)
      if ((mask >> position & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(position);
    return ~0u;
  }
};

// --- byte permutation ---

inline std::uint32_t byte_of(std::uint64_t both, std::uint32_t selector) {
  const auto byte = static_cast<std::uint32_t>(both >> (8 * (selector & 7)) & 0xFF);
  return (selector & 8) == 0 ? byte : (byte & 0x80) != 0 ? 0xFF : 0;  // bit 3 replicates the sign
}
struct Permute {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 4; ++i) result |= byte_of(both, selector >> (4 * i) & 15) << (8 * i);
    return result;
  }
};
enum class PermuteMode { kForward4, kBackward4, kReplicate8, kEdgeLeft, kEdgeRight, kReplicate16 };
template <PermuteMode Mode>
struct PermuteBy {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t control) {
    const std::uint64_t both = std::uint64_t{b} << 32 | a;
    const std::uint32_t c = control & 3;
    std::uint32_t result = 0;
    for (std::uint32_t i = 0; i < 4; ++i) {
      std::uint32_t from = 0;
      switch (Mode) {
        case PermuteMode::kForward4:
          from = c + i;
          break;
        case PermuteMode::kBackward4:
          from = (c + 8 - i) & 7;
          break;
        case PermuteMode::kReplicate8:
          from = c;
          break;
        case PermuteMode::kEdgeLeft:
          from = i > c ? i : c;
          break;
        case PermuteMode::kEdgeRight:
          from = i < c ? i : c;
          break;
        case PermuteMode::kReplicate16:
          from = (c & 1) * 2 + (i & 1);
          break;
      }
      result |= static_cast<std::uint32_t>(both >> (8 * from) & 0xFF) << (8 * i);
    }
    return result;
  }
};

/// lop3: any function of three bits, as a table of eight.
const Insn* three_input_logic(Warp& warp, const Insn* insn) {
  const std::uint32_t* a = lanes_at<std::uint32_t>(warp, insn->a);
  const std::uint32_t* b = lanes_at<std::uint32_t>(warp, insn->b);
  const std::uint32_t* c = lanes_at<std::uint32_t>(warp, insn->c);
  std::uint32_t row[8];
  for (int i = 0; i < 8; ++i) row[i] = (insn->offset >> i & 1) != 0 ? ~0u : 0u;
  set_lanes(lanes_at<std::uint32_t>(warp, insn->dst), guarded_lanes(warp, insn), [=](int lane) {
    const std::uint32_t x = a[lane], y = b[lane], z = c[lane];
    return (row[0] & ~x & ~y & ~z) | (row[1] & ~x & ~y & z) | (row[2] & ~x & y & ~z) | (row[3] & ~x & y & z) |
           (row[4] & x & ~y & ~z) | (row[5] & x & ~y & z) | (row[6] & x & y & ~z) | (row[7] & x & y & z);
  });
  VGPU_NEXT(warp, insn);
}

// --- predicates are lane masks already ---

template <class Op>
const Insn* combine_predicates(Warp& warp, const Insn* insn) {
  const Mask a = mask_at(warp, insn->a) ^ static_cast<Mask>(insn->offset);
  const Mask b = mask_at(warp, insn->b) ^ static_cast<Mask>(insn->offset >> 32);
  set_mask(mask_at(warp, insn->dst), guarded_lanes(warp, insn), Op::apply(a, b));
  VGPU_NEXT(warp, insn);
}

template <class Op>
void build_logic(Builder& b) {
  const ptx::Type type = b.take_type();
  if (type == ptx::Type::kPred) {
    Mask flip_a, flip_b;
    b.write(b.insn.dst, b.operand(0), SlotSize::kMask);
    b.read_predicate(b.insn.a, flip_a, b.operand(1));
    b.read_predicate(b.insn.b, flip_b, b.operand(2));
    b.insn.offset = static_cast<std::int64_t>(std::uint64_t{flip_b} << 32 | flip_a);
    return b.emit(&combine_predicates<Op>);
  }
  const Handler handler = for_integer(b, type, [](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    return &binary<Op, T, T>;
  });
  emit_binary(b, handler, slot_for(type), slot_for(type), slot_for(type));
}

void build_not(Builder& b) {
  const ptx::Type type = b.take_type();
  if (type == ptx::Type::kPred) {
    Mask flip;
    b.write(b.insn.dst, b.operand(0), SlotSize::kMask);
    b.read_predicate(b.insn.a, flip, b.operand(1));
    b.read_predicate(b.insn.b, flip, b.operand(1));
    b.insn.offset = static_cast<std::int64_t>(static_cast<std::uint64_t>(~flip) << 32 | static_cast<Mask>(~flip));
    return b.emit(&combine_predicates<And>);
  }
  const Handler handler = for_integer(b, type, [](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    return &unary<Not, T, T>;
  });
  emit_unary(b, handler, slot_for(type), slot_for(type));
}

void build_logical_not(Builder& b) {
  const ptx::Type type = b.take_type();
  const Handler handler = for_integer(b, type, [](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    return &unary<LogicalNot, T, T>;
  });
  emit_unary(b, handler, slot_for(type), slot_for(type));
}

template <class Op>
void build_shift(Builder& b) {
  const ptx::Type type = b.take_type();
  const Handler handler = for_integer(b, type, [](auto tag) -> Handler {
    using T = typename decltype(tag)::type;
    return &binary<Op, T, T, std::uint32_t>;
  });
  emit_binary(b, handler, slot_for(type), slot_for(type), SlotSize::k32);
}

void build_funnel_shift(Builder& b) {
  const bool left = b.take("l");
  if (!left && !b.take("r")) b.refuse(b.spelled());
  const bool wrap = b.take("wrap");
  if (!wrap && !b.take("clamp")) b.refuse(b.spelled());
  b.take_type();
  using U = std::uint32_t;
  const Handler handler =
      left ? (wrap ? &ternary<FunnelShift<true, true>, U, U> : &ternary<FunnelShift<true, false>, U, U>)
           : (wrap ? &ternary<FunnelShift<false, true>, U, U> : &ternary<FunnelShift<false, false>, U, U>);
  emit_ternary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

void build_three_input_logic(Builder& b) {
  if (b.take_one_of({"or", "and"}) >= 0) b.refuse(b.spelled());
  b.take_type();
  const ptx::Operand& table = b.operand(4);
  if (table.kind != ptx::Operand::Kind::kImmediate) b.refuse("lop3 with a table that is not a constant");
  b.insn.offset = static_cast<std::int64_t>(table.bits & 0xFF);
  emit_ternary(b, &three_input_logic, SlotSize::k32, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

void build_bit_field_extract(Builder& b) {
  const ptx::Type type = b.take_type();
  Handler handler;
  switch (type) {
    case ptx::Type::kU32:
      handler = &ternary<BitFieldExtract, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
      break;
    case ptx::Type::kS32:
      handler = &ternary<BitFieldExtract, std::int32_t, std::int32_t, std::uint32_t, std::uint32_t>;
      break;
    case ptx::Type::kU64:
      handler = &ternary<BitFieldExtract, std::uint64_t, std::uint64_t, std::uint32_t, std::uint32_t>;
      break;
    case ptx::Type::kS64:
      handler = &ternary<BitFieldExtract, std::int64_t, std::int64_t, std::uint32_t, std::uint32_t>;
      break;
    default:
      b.refuse(b.spelled());
  }
  emit_ternary(b, handler, slot_for(type), slot_for(type), SlotSize::k32, SlotSize::k32);
}

/// The slot of a type of 32 or 64 bits; the other sizes are refused.
SlotSize take_word_or_double(Builder& b) {
  const SlotSize size = slot_for(b.take_type());
  if (size != SlotSize::k32 && size != SlotSize::k64) b.refuse(b.spelled());
  return size;
}

void build_bit_field_insert(Builder& b) {
  const SlotSize size = take_word_or_double(b);
  std::vector<std::uint32_t>& length = b.operand_list(1);
  b.read(length[0], b.operand(4), SlotSize::k32);
  b.insn.extra = &length;
  emit_ternary(b, size == SlotSize::k64 ? &bit_field_insert<std::uint64_t> : &bit_field_insert<std::uint32_t>, size,
               size, size, SlotSize::k32);
}

void build_bit_mask(Builder& b) {
  const bool wrap = b.take("wrap");
  if (!wrap && !b.take("clamp")) b.refuse(b.spelled());
  b.take_type();
  using U = std::uint32_t;
  emit_binary(b, wrap ? &binary<BitMaskWrapping, U, U> : &binary<BitMask, U, U>, SlotSize::k32, SlotSize::k32,
              SlotSize::k32);
}

void build_extend(Builder& b) {
  const bool wrap = b.take("wrap");
  if (!wrap && !b.take("clamp")) b.refuse(b.spelled());
  const bool is_s = is_signed(b.take_type());
  using S = std::int32_t;
  using U = std::uint32_t;
  const Handler handler =
      is_s ? (wrap ? &binary<SignOrZeroExtend<true>, S, S, U> : &binary<SignOrZeroExtend<false>, S, S, U>)
           : (wrap ? &binary<SignOrZeroExtend<true>, U, U> : &binary<SignOrZeroExtend<false>, U, U>);
  emit_binary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

void build_reverse(Builder& b) {
  const SlotSize size = take_word_or_double(b);
  const bool wide = size == SlotSize::k64;
  emit_unary(
      b, wide ? &unary<ReverseBits, std::uint64_t, std::uint64_t> : &unary<ReverseBits, std::uint32_t, std::uint32_t>,
      size, size);
}

template <class Op>
void build_count(Builder& b) {
  const SlotSize size = take_word_or_double(b);
  emit_unary(
      b, size == SlotSize::k64 ? &unary<Op, std::uint32_t, std::uint64_t> : &unary<Op, std::uint32_t, std::uint32_t>,
      SlotSize::k32, size);
}

template <bool ShiftAmount>
Handler find_bit_handler(Builder& b, ptx::Type type) {
  using Op = FindBit<ShiftAmount>;
  switch (type) {
    case ptx::Type::kU32:
      return &unary<Op, std::uint32_t, std::uint32_t>;
    case ptx::Type::kS32:
      return &unary<Op, std::uint32_t, std::int32_t>;
    case ptx::Type::kU64:
      return &unary<Op, std::uint32_t, std::uint64_t>;
    case ptx::Type::kS64:
      return &unary<Op, std::uint32_t, std::int64_t>;
    default:
      b.refuse(b.spelled());
  }
}

void build_find_bit(Builder& b) {
  const bool shift_amount = b.take("shiftamt");
  const ptx::Type type = b.take_type();
  emit_unary(b, shift_amount ? find_bit_handler<true>(b, type) : find_bit_handler<false>(b, type), SlotSize::k32,
             slot_for(type));
}

void build_find_nth_set(Builder& b) {
  b.take_type();
  emit_ternary(b, &ternary<FindNthSet, std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>, SlotSize::k32,
               SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

void build_permute(Builder& b) {
  b.take_type();
  const int mode = b.take_one_of({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
  using U = std::uint32_t;
  Handler handler = &ternary<Permute, U, U>;
  switch (mode) {
    case 0:
      handler = &ternary<PermuteBy<PermuteMode::kForward4>, U, U>;
      break;
    case 1:
      handler = &ternary<PermuteBy<PermuteMode::kBackward4>, U, U>;
      break;
    case 2:
      handler = &ternary<PermuteBy<PermuteMode::kReplicate8>, U, U>;
      break;
    case 3:
      handler = &ternary<PermuteBy<PermuteMode::kEdgeLeft>, U, U>;
      break;
    case 4:
      handler = &ternary<PermuteBy<PermuteMode::kEdgeRight>, U, U>;
      break;
    case 5:
      handler = &ternary<PermuteBy<PermuteMode::kReplicate16>, U, U>;
      break;
    default:
      break;
  }
  emit_ternary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

constexpr OpcodeRow kRows[] = {
    {"and", &build_logic<And>},
    {"or", &build_logic<Or>},
    {"xor", &build_logic<Xor>},
    {"not", &build_not},
    {"cnot", &build_logical_not},
    {"lop3", &build_three_input_logic},
    {"shl", &build_shift<ShiftLeft>},
    {"shr", &build_shift<ShiftRight>},
    {"shf", &build_funnel_shift},
    {"bfe", &build_bit_field_extract},
    {"bfi", &build_bit_field_insert},
    {"bmsk", &build_bit_mask},
    {"szext", &build_extend},
    {"brev", &build_reverse},
    {"popc", &build_count<PopulationCount>},
    {"clz", &build_count<CountLeadingZeros>},
    {"bfind", &build_find_bit},
    {"fns", &build_find_nth_set},
    {"prmt", &build_permute},
};

}  // namespace

const OpcodeTable VGPU_ROWS(bits) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
