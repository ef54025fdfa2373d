// Floating point as PTX defines it, one lane at a time: canonical NaN, flushing of subnormals, saturation, directed
// rounding.
#pragma once

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

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
#elif defined(__AVX2__)
  __m256 any = _mm256_setzero_ps();
  for (int lane = 0; lane < kLanes; lane += 8) {
    const __m256 some = _mm256_load_ps(result + lane);
    any = _mm256_or_ps(any, _mm256_cmp_ps(some, some, _CMP_UNORD_Q));
  }
  const Mask nan = _mm256_movemask_ps(any) != 0 ? kAllLanes : 0;
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

/// What Op makes of these operands; where it makes a NaN of numbers in double precision, that has its sign bit set, as
/// on an H200. So it has on x86-64, and not on Arm.
template <class Op, class T, class... Rest>
inline T with_default_nan(T a, Rest... rest) {
  const T result = Op::apply(a, rest...);
#ifndef __x86_64__
  if constexpr (std::is_same_v<T, double>) {
    const bool is_made = bits_of(result) == 0x7FF8000000000000u && a == a && ((rest == rest) && ...);
    return is_made ? double_from(0xFFF8000000000000u) : result;
  }
#endif
  return result;
}

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
  set_lanes(d, lanes, [=](int lane) { return with_default_nan<Op>(a[lane]); });
  canonicalise(d, lanes);
  VGPU_NEXT(warp, insn);
}

template <class Op, class T>
const Insn* float_binary(Warp& warp, const Insn* insn) {
  const T* a = lanes_at<T>(warp, insn->a);
  const T* b = lanes_at<T>(warp, insn->b);
  T* d = lanes_at<T>(warp, insn->dst);
  const Mask lanes = guarded_lanes(warp, insn);
  set_lanes(d, lanes, [=](int lane) { return with_default_nan<Op>(a[lane], b[lane]); });
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
  set_lanes(d, lanes, [=](int lane) { return with_default_nan<Op>(a[lane], b[lane], c[lane]); });
  canonicalise(d, lanes);
  VGPU_NEXT(warp, insn);
}

/// In the order of PTX's modifiers: rn, rz, rm, rp.
enum class Rounding : std::uint8_t { kNearest, kTowardsZero, kDown, kUp };

/// Of a modifier's place among these; -1 if there is none.
inline Rounding rounding_of(int modifier) { return static_cast<Rounding>(modifier < 0 ? 0 : modifier); }

// The register that holds the processor's rounding mode, and the mode's code in it.
#if defined(__x86_64__)
inline std::uint64_t float_control() { return _mm_getcsr(); }
inline void set_float_control(std::uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
constexpr std::uint64_t kRoundingBits = _MM_ROUND_MASK;
constexpr std::uint64_t kRoundingCodes[] = {_MM_ROUND_NEAREST, _MM_ROUND_TOWARD_ZERO, _MM_ROUND_DOWN, _MM_ROUND_UP};
#elif defined(__aarch64__)
inline std::uint64_t float_control() { return __builtin_aarch64_get_fpcr64(); }
inline void set_float_control(std::uint64_t value) { __builtin_aarch64_set_fpcr64(value); }
constexpr std::uint64_t kRoundingBits = 3 << 22;
constexpr std::uint64_t kRoundingCodes[] = {0, 3 << 22, 2 << 22, 1 << 22};
#endif

/// The processor's rounding mode for as long as the object lives. The memory clobbers keep the arithmetic in between:
/// operands are read from and results written to memory.
class RoundingMode {
 public:
  explicit RoundingMode(Rounding mode) : before_(float_control()) {
    set_float_control((before_ & ~kRoundingBits) | kRoundingCodes[static_cast<std::size_t>(mode)]);
    asm volatile("" ::: "memory");
  }
  ~RoundingMode() {
    asm volatile("" ::: "memory");
    set_float_control(before_);
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  std::uint64_t before_;
};

}  // namespace
}  // namespace vgpu
