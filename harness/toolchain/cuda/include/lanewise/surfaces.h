// Reads and writes of surface objects, at bytes along x: CUDA C++ Programming Guide, "Surface Functions"; PTX ISA,
// "suld.b" and "sust.b".
#pragma once

#define LANEWISE_BY_MODE(X, ...)            \
  do {                                      \
    if (mode == cudaBoundaryModeZero)       \
      X("zero", __VA_ARGS__);               \
    else if (mode == cudaBoundaryModeClamp) \
      X("clamp", __VA_ARGS__);              \
    else                                    \
      X("trap", __VA_ARGS__);               \
  } while (0)
#define LANEWISE_READ(mode, geometry, type, letter, at, ...)               \
  asm volatile("suld.b." geometry "." type "." mode " %0, [%1, {" at "}];" \
               : "=" letter(bits)                                          \
               : "l"(surface), __VA_ARGS__                                 \
               : "memory")
#define LANEWISE_READ16(mode, geometry, at, ...)                               \
  asm volatile("suld.b." geometry ".v2.b64." mode " {%0, %1}, [%2, {" at "}];" \
               : "=l"(bits.x), "=l"(bits.y)                                    \
               : "l"(surface), __VA_ARGS__                                     \
               : "memory")
#define LANEWISE_WRITE(mode, geometry, type, letter, at, ...)                                                        \
  asm volatile("sust.b." geometry "." type "." mode " [%1, {" at "}], %0;" ::letter(bits), "l"(surface), __VA_ARGS__ \
               : "memory")
#define LANEWISE_WRITE16(mode, geometry, at, ...)                                                          \
  asm volatile("sust.b." geometry ".v2.b64." mode " [%2, {" at "}], {%0, %1};" ::"l"(bits.x), "l"(bits.y), \
               "l"(surface), __VA_ARGS__                                                                   \
               : "memory")

// `at` has the coordinates as operands 2 and up, `at16` one further: 16 bytes take two operands. A byte travels in 16
// bits.
#define LANEWISE_SURFACE(suffix, geometry, coordinates, at, at16, ...)                                                \
  template <class T>                                                                                                  \
  __device__ __forceinline__ T surf##suffix##read(cudaSurfaceObject_t surface, LANEWISE_UNPACK coordinates,           \
                                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {              \
    using Bits = typename lanewise::Moved<sizeof(T)>::Type;                                                           \
    if constexpr (sizeof(T) == 1) {                                                                                   \
      unsigned short bits;                                                                                            \
      LANEWISE_BY_MODE(LANEWISE_READ, geometry, "b8", "h", at, __VA_ARGS__);                                          \
      return __builtin_bit_cast(T, static_cast<unsigned char>(bits));                                                 \
    } else {                                                                                                          \
      Bits bits;                                                                                                      \
      if constexpr (sizeof(T) == 2) LANEWISE_BY_MODE(LANEWISE_READ, geometry, "b16", "h", at, __VA_ARGS__);           \
      if constexpr (sizeof(T) == 4) LANEWISE_BY_MODE(LANEWISE_READ, geometry, "b32", "r", at, __VA_ARGS__);           \
      if constexpr (sizeof(T) == 8) LANEWISE_BY_MODE(LANEWISE_READ, geometry, "b64", "l", at, __VA_ARGS__);           \
      if constexpr (sizeof(T) == 16) LANEWISE_BY_MODE(LANEWISE_READ16, geometry, at16, __VA_ARGS__);                  \
      return __builtin_bit_cast(T, bits);                                                                             \
    }                                                                                                                 \
  }                                                                                                                   \
  template <class T>                                                                                                  \
  __device__ __forceinline__ void surf##suffix##read(T* to, cudaSurfaceObject_t surface, LANEWISE_UNPACK coordinates, \
                                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {           \
    *to = surf##suffix##read<T>(surface, LANEWISE_NAMES_##suffix, mode);                                              \
  }                                                                                                                   \
  template <class T>                                                                                                  \
  __device__ __forceinline__ void surf##suffix##write(T value, cudaSurfaceObject_t surface,                           \
                                                      LANEWISE_UNPACK coordinates,                                    \
                                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {          \
    const auto moved = __builtin_bit_cast(typename lanewise::Moved<sizeof(T)>::Type, value);                          \
    if constexpr (sizeof(T) == 1) {                                                                                   \
      const unsigned short bits = moved;                                                                              \
      LANEWISE_BY_MODE(LANEWISE_WRITE, geometry, "b8", "h", at, __VA_ARGS__);                                         \
    } else {                                                                                                          \
      const auto bits = moved;                                                                                        \
      if constexpr (sizeof(T) == 2) LANEWISE_BY_MODE(LANEWISE_WRITE, geometry, "b16", "h", at, __VA_ARGS__);          \
      if constexpr (sizeof(T) == 4) LANEWISE_BY_MODE(LANEWISE_WRITE, geometry, "b32", "r", at, __VA_ARGS__);          \
      if constexpr (sizeof(T) == 8) LANEWISE_BY_MODE(LANEWISE_WRITE, geometry, "b64", "l", at, __VA_ARGS__);          \
      if constexpr (sizeof(T) == 16) LANEWISE_BY_MODE(LANEWISE_WRITE16, geometry, at16, __VA_ARGS__);                 \
    }                                                                                                                 \
  }
#define LANEWISE_UNPACK(...) __VA_ARGS__
#define LANEWISE_NAMES_1D x
#define LANEWISE_NAMES_2D x, y
#define LANEWISE_NAMES_3D x, y, z
#define LANEWISE_NAMES_1DLayered x, layer
#define LANEWISE_NAMES_2DLayered x, y, layer
LANEWISE_SURFACE(1D, "1d", (int x), "%2", "%3", "r"(x))
LANEWISE_SURFACE(2D, "2d", (int x, int y), "%2, %3", "%3, %4", "r"(x), "r"(y))
LANEWISE_SURFACE(3D, "3d", (int x, int y, int z), "%2, %3, %4, %4", "%3, %4, %5, %5", "r"(x), "r"(y), "r"(z))
LANEWISE_SURFACE(1DLayered, "a1d", (int x, int layer), "%2, %3", "%3, %4", "r"(layer), "r"(x))
LANEWISE_SURFACE(2DLayered, "a2d", (int x, int y, int layer), "%2, %3, %4, %4", "%3, %4, %5, %5", "r"(layer), "r"(x),
                 "r"(y))
#undef LANEWISE_SURFACE
#undef LANEWISE_BY_MODE
#undef LANEWISE_READ
#undef LANEWISE_READ16
#undef LANEWISE_WRITE
#undef LANEWISE_WRITE16
#undef LANEWISE_UNPACK
#undef LANEWISE_NAMES_1D
#undef LANEWISE_NAMES_2D
#undef LANEWISE_NAMES_3D
#undef LANEWISE_NAMES_1DLayered
#undef LANEWISE_NAMES_2DLayered
