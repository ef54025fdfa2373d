// 16-bit floating point, with 7 bits of mantissa and the range of float: CUDA Math API.
#pragma once

#include "cuda_runtime.h"
#include "lanewise/narrow_bits.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace lanewise {
template <class T>
__host__ __device__ inline unsigned short bfloat16_bits(T value) {
  return narrow_bits<7, 127>(value);
}
__host__ __device__ inline float bfloat16_value(unsigned short bits) { return narrow_value<7, 127>(bits); }
}  // namespace lanewise

#define NARROW __nv_bfloat16
#define PAIR __nv_bfloat162
#define WORD bfloat16
#define F16 "bf16"
#define F16X2 "bf16x2"
#include "lanewise/narrow_float.h"
#pragma clang attribute pop
#undef NARROW
#undef PAIR
#undef WORD
#undef F16
#undef F16X2

using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
