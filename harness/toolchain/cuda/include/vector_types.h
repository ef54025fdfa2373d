// Vectors of one to four numbers, and dim3. Alignments are part of how kernels are called: CUDA C++ Programming Guide,
// "Built-in Vector Types".
#pragma once

#include "host_defines.h"

#define LANEWISE_VECTORS(name, type, align2, align4) \
  struct name##1 {                                   \
    type x;                                          \
  };                                                 \
  struct __align__(align2) name##2 {                 \
    type x, y;                                       \
  };                                                 \
  struct name##3 {                                   \
    type x, y, z;                                    \
  };                                                 \
  struct __align__(align4) name##4 {                 \
    type x, y, z, w;                                 \
  };

LANEWISE_VECTORS(char, signed char, 2, 4)
LANEWISE_VECTORS(uchar, unsigned char, 2, 4)
LANEWISE_VECTORS(short, short, 4, 8)
LANEWISE_VECTORS(ushort, unsigned short, 4, 8)
LANEWISE_VECTORS(int, int, 8, 16)
LANEWISE_VECTORS(uint, unsigned int, 8, 16)
LANEWISE_VECTORS(long, long, 16, 16)
LANEWISE_VECTORS(ulong, unsigned long, 16, 16)
LANEWISE_VECTORS(longlong, long long, 16, 16)
LANEWISE_VECTORS(ulonglong, unsigned long long, 16, 16)
LANEWISE_VECTORS(float, float, 8, 16)
LANEWISE_VECTORS(double, double, 16, 16)
#undef LANEWISE_VECTORS

/// Extents of a grid or a block; what is not given is 1.
struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
  __host__ __device__ constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return {x, y, z}; }
#endif
};
