// 16-bit floating point, with 10 bits of mantissa: CUDA Math API.
#pragma once

#include "cuda_runtime.h"
#include "lanewise/narrow_bits.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace lanewise {
template <class T>
__host__ __device__ inline unsigned short half_bits(T value) {
  return narrow_bits<10, 15>(value);
}
__host__ __device__ inline float half_value(unsigned short bits) { return narrow_value<10, 15>(bits); }
}  // namespace lanewise

#define NARROW __half
#define PAIR __half2
#define WORD half
#define F16 "f16"
#define F16X2 "f16x2"
#include "lanewise/narrow_float.h"
#pragma clang attribute pop
#undef NARROW
#undef PAIR
#undef WORD
#undef F16
#undef F16X2

using half = __half;
using half2 = __half2;
