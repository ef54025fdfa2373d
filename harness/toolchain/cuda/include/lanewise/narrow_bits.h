// 16-bit floating point on the host: to and from the nearest number, ties to even.
#pragma once

#include "../cuda_runtime.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace lanewise {

/// The bits of the nearest number with `kMantissa` bits of mantissa and exponents from 1 - kBias; NaN is 0x7FFF.
template <int kMantissa, int kBias, class T>
__host__ __device__ inline unsigned short narrow_bits(T value) {
  constexpr unsigned int kInfinity = (2u * kBias + 1) << kMantissa;
  if (value != value) return 0x7FFF;
  const unsigned int sign = __builtin_signbit(value) ? 0x8000 : 0;
  double rest = sign != 0 ? -static_cast<double>(value) : static_cast<double>(value);
  if (rest == 0) return static_cast<unsigned short>(sign);
  if (rest > 1e39) return static_cast<unsigned short>(sign | kInfinity);
  int exponent = 0;  // rest is to have kMantissa bits before its point, fewer if it is small
  for (; rest >= static_cast<double>(2u << kMantissa); ++exponent) rest /= 2;
  for (; rest < static_cast<double>(1u << kMantissa) && exponent > 1 - kBias - kMantissa; --exponent) rest *= 2;
  unsigned int whole = static_cast<unsigned int>(rest);
  const double left = rest - whole;
  if (left > 0.5 || (left == 0.5 && whole % 2 != 0)) ++whole;
  // What is rounded up to the next power of two carries into the exponent by itself.
  const unsigned int bits = whole + (static_cast<unsigned int>(exponent + kMantissa + kBias - 1) << kMantissa);
  return static_cast<unsigned short>(sign | (bits < kInfinity ? bits : kInfinity));
}

template <int kMantissa, int kBias>
__host__ __device__ inline float narrow_value(unsigned short bits) {
  const unsigned int size = bits & 0x7FFFu, exponent = size >> kMantissa, fraction = size & ((1u << kMantissa) - 1);
  const unsigned int sign = static_cast<unsigned int>(bits & 0x8000) << 16;
  unsigned int wide = (exponent + 127 - kBias) << 23 | fraction << (23 - kMantissa);
  if (exponent == 2 * kBias + 1) wide = 0x7F800000u | fraction << (23 - kMantissa);
  if (exponent == 0) {  // a multiple of the least number
    float value = static_cast<float>(fraction);
    for (int halvings = kBias - 1 + kMantissa; halvings > 0; --halvings) value /= 2;
    wide = __builtin_bit_cast(unsigned int, value);
  }
  return __builtin_bit_cast(float, sign | wide);
}

}  // namespace lanewise

#pragma clang attribute pop
