// Correctly rounded floating-point references in every direction: operations are carried out with 113 bits, rounded to
// odd, which keeps what the final rounding has to know (Boldo and Melquiond, "Emulation of FMA and correctly rounded
// sums", 2008).
#pragma once

#include <cfenv>
#include <cstdint>
#include <limits>

#include "harness/vgpu/machine/testing/operands.h"

namespace vgpu::test {

/// 113 bits.
#if defined(__x86_64__)
__extension__ typedef __float128 Float128;
#else
using Float128 = long double;
#endif
static_assert(sizeof(Float128) == 16);

/// The modifiers of PTX, in the order of FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD.
struct Rounding {
  const char* modifier;
  int mode;
};
inline constexpr Rounding kRoundings[] = {
    {".rn", FE_TONEAREST}, {".rz", FE_TOWARDZERO}, {".rm", FE_DOWNWARD}, {".rp", FE_UPWARD}};

/// The rounding mode of the processor for as long as the object lives. Values pass through volatile variables
/// meanwhile: the compiler knows nothing of it.
class WithRounding {
 public:
  explicit WithRounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~WithRounding() { std::fesetround(before_); }
  WithRounding(const WithRounding&) = delete;
  WithRounding& operator=(const WithRounding&) = delete;

 private:
  int before_;
};

/// operation() rounded to odd: towards zero, with the last bit set if anything was lost. T is Float128 or long double.
template <class T, class F>
T to_odd(F operation) {
  const WithRounding towards_zero(FE_TOWARDZERO);
  std::feclearexcept(FE_INEXACT);
  volatile T result = operation();
  if (std::fetestexcept(FE_INEXACT) == 0) return result;
  T odd = result;
  std::uint64_t low;  // the last bit of either type is in its first byte
  std::memcpy(&low, &odd, sizeof low);
  low |= 1;
  std::memcpy(&odd, &low, sizeof low);
  return odd;
}

/// A wide value as T, rounded in the direction of `mode`.
template <class T, class Wide>
T narrowed(Wide wide, int mode) {
  const WithRounding rounding(mode);
  volatile Wide from = wide;
  volatile T to = static_cast<T>(from);
  return to;
}

inline constexpr std::uint32_t kNan32 = 0x7FFFFFFF;
inline constexpr std::uint64_t kNan64 = 0xFFF8000000000000;

/// What an operation on these operands gives if one is NaN or the result is: in single precision always the same NaN;
/// in double precision the first operand that is one, made quiet, else the default one. PTX leaves open which of
/// several NaNs is passed on (an H200 takes the last one in add and the first in div), so where there may be several,
/// the result is to be compared as PassedOnNan.
template <class... Rest>
float nan_of(float, Rest...) {
  return bits_to<float>(kNan32);
}
inline double nan_of(double a, double b, double c) {
  for (const double operand : {a, b, c})
    if (std::isnan(operand)) return bits_to<double>(bits_to<std::uint64_t>(operand) | 0x0008000000000000u);
  return bits_to<double>(kNan64);
}
inline double nan_of(double a, double b) { return nan_of(a, b, 0.0); }
inline double nan_of(double a) { return nan_of(a, 0.0, 0.0); }

/// Subnormals as zeros of their sign.
inline float flush(float value) {
  const auto bits = bits_to<std::uint32_t>(value);
  return (bits & 0x7F800000) == 0 ? bits_to<float>(bits & 0x80000000) : value;
}

/// As .sat does: NaN becomes 0.
inline float saturate(float value) { return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f; }

enum class Operation : std::uint8_t { kAdd, kSubtract, kMultiply, kDivide, kFusedMultiplyAdd };

/// The exactly rounded result; `c` is for kFusedMultiplyAdd only.
template <class T>
T rounded(Operation operation, T a, T b, T c, int mode) {
  const bool three = operation == Operation::kFusedMultiplyAdd;
  if (std::isnan(a) || std::isnan(b) || (three && std::isnan(c))) return three ? nan_of(a, b, c) : nan_of(a, b);
  const Float128 x = a, y = b, z = c;
  // Signs of zero sums depend on the rounding mode, and are decided by the operation that gives the zero: redone in
  // that mode.
  const auto compute = [&]() -> Float128 {
    volatile Float128 u = x, v = y, w = z;
    switch (operation) {
      case Operation::kAdd:
        return u + v;
      case Operation::kSubtract:
        return u - v;
      case Operation::kMultiply:
        return u * v;
      case Operation::kDivide:
        return u / v;
      case Operation::kFusedMultiplyAdd:
        return u * v + w;
    }
    return 0;
  };
  const Float128 wide = to_odd<Float128>(compute);
  if (wide != wide) return three ? nan_of(a, b, c) : nan_of(a, b);
  if (wide == 0) {
    const WithRounding rounding(mode);
    volatile Float128 zero = compute();
    return static_cast<T>(zero);
  }
  return narrowed<T>(wide, mode);
}

template <class T>
T rounded_root(T a, int mode) {
  if (std::isnan(a) || a < 0) return nan_of(a);
  if (a == 0 || std::isinf(a)) return a;
  const auto root = to_odd<long double>([&]() -> long double {
    volatile long double wide = a;
    return __builtin_sqrtl(wide);
  });
  return narrowed<T>(root, mode);
}

}  // namespace vgpu::test
