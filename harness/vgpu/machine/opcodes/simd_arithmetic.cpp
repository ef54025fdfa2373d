// Integer arithmetic on parts of a 32-bit register: add, min and max on pairs of 16 bits, and of the video instructions
// those that today's compilers still write, vabsdiff2 and vabsdiff4.
#include "harness/vgpu/machine/opcodes/lane_loops.h"
#include "harness/vgpu/machine/opcodes/tables.h"

namespace vgpu {
namespace {

// --- pairs of 16 bits; T is the type of a part ---

struct Add {
  template <class T>
  static int apply(T a, T b) {
    return a + b;
  }
};
struct Minimum {
  template <class T>
  static int apply(T a, T b) {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  static int apply(T a, T b) {
    return a < b ? b : a;
  }
};

template <class Op, class T, bool Relu>
struct InPairs {
  static std::uint32_t part(std::uint32_t a, std::uint32_t b) {
    const int result = Op::apply(static_cast<T>(a), static_cast<T>(b));
    return static_cast<std::uint32_t>(Relu && result < 0 ? 0 : result) & 0xFFFF;
  }
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b) { return part(a >> 16, b >> 16) << 16 | part(a, b); }
};

template <class Op, class T, bool Relu>
constexpr Handler kInPairs = &binary<InPairs<Op, T, Relu>, std::uint32_t, std::uint32_t>;

/// min and max of signed parts may be clamped to no less than 0.
template <class Op>
Handler extremum(bool is_signed_type, bool relu) {
  if (relu) return kInPairs<Op, std::int16_t, true>;
  return is_signed_type ? kInPairs<Op, std::int16_t, false> : kInPairs<Op, std::uint16_t, false>;
}

// --- vabsdiff ---

/// Distances of the parts, side by side or, with .add, their sum and c.
template <class A, class B, bool Sum>
struct AbsoluteDifferences {
  static std::uint32_t apply(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    constexpr unsigned kBits = 8 * sizeof(A);
    std::uint32_t all = 0, sum = c;
    for (unsigned at = 0; at < 32; at += kBits) {
      const int difference = int{static_cast<A>(a >> at)} - int{static_cast<B>(b >> at)};
      const auto distance = static_cast<std::uint32_t>(difference < 0 ? -difference : difference);
      all |= distance << at;  // fits: numbers of n bits are less than 2^n apart, if both have one type
      sum += distance;
    }
    return Sum ? sum : all;
  }
};

template <class Part, bool Sum>
constexpr Handler kAbsoluteDifferences = &ternary<AbsoluteDifferences<Part, Part, Sum>, std::uint32_t, std::uint32_t>;

/// vabsdiff4.u32.u32.u32{.add} d, a, b, c and the same of signed parts. No masks, selectors or .sat.
template <class Unsigned>
void build_absolute_differences(Builder& b) {
  using Signed = std::make_signed_t<Unsigned>;
  const ptx::Type to = b.take_type(), first = b.take_type(), second = b.take_type();
  if (to != ptx::Type::kU32 || first != second || (first != ptx::Type::kU32 && first != ptx::Type::kS32))
    b.refuse(b.spelled());
  const bool sum = b.take("add");
  Handler handler;
  if (first == ptx::Type::kU32)
    handler = sum ? kAbsoluteDifferences<Unsigned, true> : kAbsoluteDifferences<Unsigned, false>;
  else
    handler = sum ? kAbsoluteDifferences<Signed, true> : kAbsoluteDifferences<Signed, false>;
  emit_ternary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32, SlotSize::k32);
}

constexpr OpcodeRow kRows[] = {
    {"vabsdiff2", &build_absolute_differences<std::uint16_t>},
    {"vabsdiff4", &build_absolute_differences<std::uint8_t>},
};

}  // namespace

/// add, min and max on pairs of 16 bits. False if the instruction's type is none.
bool VGPU_OF_ISA(build_simd_arithmetic)(Builder& b);
bool VGPU_OF_ISA(build_simd_arithmetic)(Builder& b) {
  const int type = b.take_one_of({"u16x2", "s16x2"});
  if (type < 0) return false;
  const std::string_view opcode = b.instruction().opcode;
  Handler handler = nullptr;
  if (opcode == "add")
    handler = kInPairs<Add, std::uint16_t, false>;
  else if (opcode == "min" || opcode == "max")
    handler = opcode == "min" ? extremum<Minimum>(type == 1, type == 1 && b.take("relu"))
                              : extremum<Maximum>(type == 1, type == 1 && b.take("relu"));
  else
    b.refuse(b.spelled());
  emit_binary(b, handler, SlotSize::k32, SlotSize::k32, SlotSize::k32);
  return true;
}

const OpcodeTable VGPU_ROWS(simd_arithmetic) = {kRows, sizeof kRows / sizeof kRows[0]};

}  // namespace vgpu
