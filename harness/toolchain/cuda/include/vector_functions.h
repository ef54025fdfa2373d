// make_int4 and the like.
#pragma once

#include "vector_types.h"

#define LANEWISE_MAKE(name, type)                                                                        \
  static inline __host__ __device__ name##1 make_##name##1(type x) { return {x}; }                       \
  static inline __host__ __device__ name##2 make_##name##2(type x, type y) { return {x, y}; }            \
  static inline __host__ __device__ name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; } \
  static inline __host__ __device__ name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }

LANEWISE_MAKE(char, signed char)
LANEWISE_MAKE(uchar, unsigned char)
LANEWISE_MAKE(short, short)
LANEWISE_MAKE(ushort, unsigned short)
LANEWISE_MAKE(int, int)
LANEWISE_MAKE(uint, unsigned int)
LANEWISE_MAKE(long, long)
LANEWISE_MAKE(ulong, unsigned long)
LANEWISE_MAKE(longlong, long long)
LANEWISE_MAKE(ulonglong, unsigned long long)
LANEWISE_MAKE(float, float)
LANEWISE_MAKE(double, double)
#undef LANEWISE_MAKE
