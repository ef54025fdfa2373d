// 8-bit floating point, e4m3 and e5m2: CUDA Math API, "FP8 Intrinsics". Conversions, which is all that there is to
// them.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };

using __nv_fp8_storage_t = unsigned char;
using __nv_fp8x2_storage_t = unsigned short;
using __nv_fp8x4_storage_t = unsigned int;

namespace lanewise {

/// A double as the byte of that format, to nearest even.
inline __host__ __device__ __nv_fp8_storage_t byte_float_of(double value, __nv_saturation_t saturation,
                                                            __nv_fp8_interpretation_t format) {
  const unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
  const unsigned int sign = static_cast<unsigned int>(bits >> 56) & 0x80;
  const unsigned long long magnitude = bits & 0x7FFFFFFFFFFFFFFF;
  const bool is_e4m3 = format == __NV_E4M3;
  if (magnitude > 0x7FF0000000000000) return static_cast<__nv_fp8_storage_t>(is_e4m3 ? sign | 0x7F : sign | 0x7E);
  const int mantissa = is_e4m3 ? 3 : 2, least = is_e4m3 ? -6 : -14;
  const unsigned int greatest = is_e4m3 ? 0x7E : 0x7B;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023, unit = exponent < least ? least : exponent;
  const int lost = 52 - mantissa + unit - exponent;
  unsigned long long code = 0;
  if (lost < 55) {
    const unsigned long long significand = (magnitude & 0xFFFFFFFFFFFFF) | 0x10000000000000;
    const unsigned long long half = 1ull << (lost - 1), rest = significand & (2 * half - 1);
    code = significand >> lost;
    if (rest > half || (rest == half && (code & 1) != 0)) ++code;
  }
  code += static_cast<unsigned long long>(unit - least) << mantissa;
  if (code > greatest) code = saturation == __NV_SATFINITE ? greatest : is_e4m3 ? 0x7F : 0x7C;
  return static_cast<__nv_fp8_storage_t>(sign | static_cast<unsigned int>(code));
}

/// The f16 that a byte of that format is.
inline __host__ __device__ unsigned short half_of_byte_float(__nv_fp8_storage_t byte,
                                                             __nv_fp8_interpretation_t format) {
  const unsigned int sign = (byte & 0x80u) << 8, magnitude = byte & 0x7Fu;
  if (format == __NV_E5M2) return static_cast<unsigned short>(magnitude > 0x7C ? 0x7FFF : sign | magnitude << 8);
  if (magnitude == 0x7F) return 0x7FFF;
  unsigned int mantissa = magnitude & 7, exponent = magnitude >> 3;
  if (exponent == 0) {
    if (mantissa == 0) return static_cast<unsigned short>(sign);
    for (exponent = 1; mantissa < 8; --exponent) mantissa *= 2;  // in f16 it is normal; may go below zero, and back
  }
  return static_cast<unsigned short>(sign | (exponent + 8) << 10 | (mantissa & 7) << 7);
}

}  // namespace lanewise

static inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_double_to_fp8(double value, __nv_saturation_t saturation,
                                                                            __nv_fp8_interpretation_t format) {
  return lanewise::byte_float_of(value, saturation, format);
}

static inline __host__ __device__ __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2 value,
                                                                                __nv_saturation_t saturation,
                                                                                __nv_fp8_interpretation_t format) {
#ifdef __CUDA_ARCH__
  if (saturation == __NV_SATFINITE) {
    unsigned short r;
    if (format == __NV_E4M3)
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(r) : "f"(value.x), "f"(value.y));
    else
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;" : "=h"(r) : "f"(value.x), "f"(value.y));
    return r;
  }
#endif
  return static_cast<__nv_fp8x2_storage_t>(lanewise::byte_float_of(static_cast<double>(value.x), saturation, format) |
                                           lanewise::byte_float_of(static_cast<double>(value.y), saturation, format)
                                               << 8);
}

static inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_float_to_fp8(float value, __nv_saturation_t saturation,
                                                                           __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8_storage_t>(__nv_cvt_float2_to_fp8x2(make_float2(value, 0.0f), saturation, format) & 0xFF);
}

static inline __host__ __device__ __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2 value,
                                                                                  __nv_saturation_t saturation,
                                                                                  __nv_fp8_interpretation_t format) {
#ifdef __CUDA_ARCH__
  if (saturation == __NV_SATFINITE) {
    unsigned short r;
    if (format == __NV_E4M3)
      asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(r) : "r"(lanewise::bits_of(value)));
    else
      asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(r) : "r"(lanewise::bits_of(value)));
    return r;
  }
#endif
  return __nv_cvt_float2_to_fp8x2(make_float2(static_cast<float>(value.x), static_cast<float>(value.y)), saturation,
                                  format);
}

static inline __host__ __device__ __nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half value, __nv_saturation_t saturation,
                                                                             __nv_fp8_interpretation_t format) {
  return static_cast<__nv_fp8_storage_t>(
      __nv_cvt_halfraw2_to_fp8x2(__half2(value, __ushort_as_half(0)), saturation, format) & 0xFF);
}

static inline __host__ __device__ __half2 __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t pair,
                                                                     __nv_fp8_interpretation_t format) {
#ifdef __CUDA_ARCH__
  unsigned int r;
  if (format == __NV_E4M3)
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(r) : "h"(pair));
  else
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(r) : "h"(pair));
  return __builtin_bit_cast(__half2, r);
#else
  return __half2(__ushort_as_half(lanewise::half_of_byte_float(static_cast<__nv_fp8_storage_t>(pair & 0xFF), format)),
                 __ushort_as_half(lanewise::half_of_byte_float(static_cast<__nv_fp8_storage_t>(pair >> 8), format)));
#endif
}

static inline __host__ __device__ __half __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t byte,
                                                                 __nv_fp8_interpretation_t format) {
  return __nv_cvt_fp8x2_to_halfraw2(byte, format).x;
}

// What float and other types convert to, and back; too large a number becomes the greatest.
#define LANEWISE_BYTE_FLOAT(Name, format)                                                                            \
  struct Name {                                                                                                      \
    __nv_fp8_storage_t __x;                                                                                          \
    Name() = default;                                                                                                \
    __host__ __device__ explicit Name(float value) : __x(__nv_cvt_float_to_fp8(value, __NV_SATFINITE, format)) {}    \
    __host__ __device__ explicit Name(double value) : __x(__nv_cvt_double_to_fp8(value, __NV_SATFINITE, format)) {}  \
    __host__ __device__ explicit Name(int value) : Name(static_cast<double>(value)) {}                               \
    __host__ __device__ explicit Name(__half value) : __x(__nv_cvt_halfraw_to_fp8(value, __NV_SATFINITE, format)) {} \
    __host__ __device__ explicit Name(__nv_bfloat16 value) : Name(static_cast<float>(value)) {}                      \
    __host__ __device__ explicit operator __half() const { return __nv_cvt_fp8_to_halfraw(__x, format); }            \
    __host__ __device__ explicit operator float() const {                                                            \
      return static_cast<float>(__nv_cvt_fp8_to_halfraw(__x, format));                                               \
    }                                                                                                                \
  }
LANEWISE_BYTE_FLOAT(__nv_fp8_e4m3, __NV_E4M3);
LANEWISE_BYTE_FLOAT(__nv_fp8_e5m2, __NV_E5M2);
#undef LANEWISE_BYTE_FLOAT

#pragma clang attribute pop
