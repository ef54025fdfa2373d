// Floating point as PTX defines it, one lane at a time: canonical NaN, flushing of subnormals, saturation, directed
// rounding.
#pragma once

#include <xmmintrin.h>

#include <cmath>
#include <limits>

#include "harness/vgpu/machine/opcodes/lane_loops.h"

namespace vgpu {
namespace {

inline float float_from(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
inline double double_from(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
inline std::uint64_t bits_of(double value) {
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Every NaN that single-precision arithmetic gives is this one (PTX ISA, "Floating-Point Comparisons and NaN").
constexpr std::uint32_t kCanonicalNan = 0x7FFFFFFF;

inline float canonical(float value) { return value == value ? value : float_from(kCanonicalNan); }
inline double canonical(double value) { return value; }

/// Subnormals become zero of the same sign.
inline float flushed(float value) {
  const std::uint32_t bits = bits_of(value);
  return (bits & 0x7F800000u) == 0 ? float_from(bits & 0x80000000u) : value;
}

inline double flushed(double value) {
  const std::uint64_t bits = bits_of(value);
  return (bits & 0x7FF0000000000000u) == 0 ? double_from(bits & 0x8000000000000000u) : value;
}

/// Clamped to [0, 1]; NaN gives 0.
template <class T>
inline T saturated(T value) {
  return value > T{0} ? (value < T{1} ? value : T{1}) : T{0};
}

/// Makes every NaN among the lanes of a result canonical. Asked after the result is written, and NaN being rare, this
/// keeps the question out of the way from one instruction's result to the next one's operand.
inline void canonicalise(float* result, Mask lanes) {
#if defined(__AVX512F__) && defined(__AVX512BW__)
  const __m512 low = _mm512_load_ps(result), high = _mm512_load_ps(result + 16);
  const Mask nan = Mask{_mm512_cmp_ps_mask(low, low, _CMP_UNORD_Q)} | Mask{_mm512_cmp_ps_mask(high, high, _CMP_UNORD_Q)}
                                                                          << 16;
#else
  std::uint32_t any = 0;
  for (int lane = 0; lane < kLanes; ++lane) any |= static_cast<std::uint32_t>(result[lane] != result[lane]);
  const Mask nan = any != 0 ? kAllLanes : 0;
#endif
  if (__builtin_expect((nan & lanes) == 0, 1)) return;
  for (Mask rest = nan & lanes; rest != 0; rest &= rest - 1) {
    float& value = result[__builtin_ctz(rest)];
    value = canonical(value);
  }
}
inline void canonicalise(double*, Mask) {}

/// Op on T with the modifiers .ftz and .sat around it; NaN results are left to canonicalise().
template <class Op, bool Flush, bool Saturate>
struct Modified {
  template <class T, class... Rest>
  static T apply(T a, Rest... rest) {
    if constexpr (Flush) {
      const T result = flushed(Op::apply(flushed(a), flushed(rest)...));
      return Saturate ? saturated(result) : result;
    } else {
      const T result = Op::apply(a, rest...);
      return Saturate ? saturated(result) : result;
    }
  }
};

// --- handlers for operations on one type, with canonical NaN ---

template <class Op, class T>
const Insn* float_unary(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  T* d = lanes_at<T>(warp, insn->dst);
  const Mask lanes = guarded_lanes(warp, insn);
  set_lanes(d, lanes, [=](int lane) { return Op::apply(a[lane]); });
  canonicalise(d, lanes);
  VGPU_NEXT(warp, insn);
}

template <class Op, class T>
const Insn* float_binary(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  const T* b = lanes_at<T>(warp, insn->b);
  T* d = lanes_at<T>(warp, insn->dst);
  const Mask lanes = guarded_lanes(warp, insn);
  set_lanes(d, lanes, [=](int lane) { return Op::apply(a[lane], b[lane]); });
  canonicalise(d, lanes);
  VGPU_NEXT(warp, insn);
}

template <class Op, class T>
const Insn* float_ternary(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  const T* b = lanes_at<T>(warp, insn->b);
  const T* c = lanes_at<T>(warp, insn->c);
  T* d = lanes_at<T>(warp, insn->dst);
  const Mask lanes = guarded_lanes(warp, insn);
  set_lanes(d, lanes, [=](int lane) { return Op::apply(a[lane], b[lane], c[lane]); });
  canonicalise(d, lanes);
  VGPU_NEXT(warp, insn);
}

/// The processor's rounding mode for as long as the object lives. The memory clobbers keep the arithmetic in between:
/// operands are read from and results written to memory.
class RoundingMode {
 public:
  explicit RoundingMode(unsigned mode) : before_(_mm_getcsr()) {
    _mm_setcsr((before_ & ~_MM_ROUND_MASK) | mode);
    asm volatile("" ::: "memory");
  }
  ~RoundingMode() {
    asm volatile("" ::: "memory");
    _mm_setcsr(before_);
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  unsigned before_;
};

/// MXCSR's code for a rounding modifier: 0 rn, 1 rz, 2 rm, 3 rp.
inline unsigned rounding_code(int modifier) {
  switch (modifier) {
    case 1:
      return _MM_ROUND_TOWARD_ZERO;
    case 2:
      return _MM_ROUND_DOWN;
    case 3:
      return _MM_ROUND_UP;
    default:
      return _MM_ROUND_NEAREST;
  }
}

}  // namespace
}  // namespace vgpu
