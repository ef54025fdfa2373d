// Loads and stores that say how to cache: CUDA C++ Programming Guide, "Load Functions Using Cache Hints" and "Store
// Functions Using Cache Hints". __ldg is clang's own.
#pragma once

namespace lanewise {
// One access moves at most 16 bytes; what it moves is told by size alone.
template <int kBytes>
struct Moved;
template <>
struct Moved<1> {
  using Type = unsigned char;
};
template <>
struct Moved<2> {
  using Type = unsigned short;
};
template <>
struct Moved<4> {
  using Type = unsigned int;
};
template <>
struct Moved<8> {
  using Type = unsigned long long;
};
template <>
struct Moved<16> {
  using Type = ulonglong2;
};
}  // namespace lanewise

#define LANEWISE_LOAD(name, hint)                                                                                 \
  template <class T>                                                                                              \
  __device__ inline T name(const T* pointer) {                                                                    \
    typename lanewise::Moved<sizeof(T)>::Type r;                                                                  \
    if constexpr (sizeof(T) == 1) {                                                                               \
      unsigned int wide;                                                                                          \
      asm volatile("ld.global." hint ".u8 %0, [%1];" : "=r"(wide) : "l"(pointer) : "memory");                     \
      r = static_cast<unsigned char>(wide);                                                                       \
    }                                                                                                             \
    if constexpr (sizeof(T) == 2)                                                                                 \
      asm volatile("ld.global." hint ".b16 %0, [%1];" : "=h"(r) : "l"(pointer) : "memory");                       \
    if constexpr (sizeof(T) == 4)                                                                                 \
      asm volatile("ld.global." hint ".b32 %0, [%1];" : "=r"(r) : "l"(pointer) : "memory");                       \
    if constexpr (sizeof(T) == 8)                                                                                 \
      asm volatile("ld.global." hint ".b64 %0, [%1];" : "=l"(r) : "l"(pointer) : "memory");                       \
    if constexpr (sizeof(T) == 16)                                                                                \
      asm volatile("ld.global." hint ".v2.b64 {%0, %1}, [%2];" : "=l"(r.x), "=l"(r.y) : "l"(pointer) : "memory"); \
    return __builtin_bit_cast(T, r);                                                                              \
  }
#define LANEWISE_STORE(name, hint)                                                                                     \
  template <class T>                                                                                                   \
  __device__ inline void name(T* pointer, T value) {                                                                   \
    const auto bits = __builtin_bit_cast(typename lanewise::Moved<sizeof(T)>::Type, value);                            \
    if constexpr (sizeof(T) == 1)                                                                                      \
      asm volatile("st.global." hint ".u8 [%0], %1;" ::"l"(pointer), "r"(static_cast<unsigned int>(bits)) : "memory"); \
    if constexpr (sizeof(T) == 2)                                                                                      \
      asm volatile("st.global." hint ".b16 [%0], %1;" ::"l"(pointer), "h"(bits) : "memory");                           \
    if constexpr (sizeof(T) == 4)                                                                                      \
      asm volatile("st.global." hint ".b32 [%0], %1;" ::"l"(pointer), "r"(bits) : "memory");                           \
    if constexpr (sizeof(T) == 8)                                                                                      \
      asm volatile("st.global." hint ".b64 [%0], %1;" ::"l"(pointer), "l"(bits) : "memory");                           \
    if constexpr (sizeof(T) == 16)                                                                                     \
      asm volatile("st.global." hint ".v2.b64 [%0], {%1, %2};" ::"l"(pointer), "l"(bits.x), "l"(bits.y) : "memory");   \
  }
LANEWISE_LOAD(__ldca, "ca")
LANEWISE_LOAD(__ldcg, "cg")
LANEWISE_LOAD(__ldcs, "cs")
LANEWISE_LOAD(__ldlu, "lu")
LANEWISE_LOAD(__ldcv, "cv")
LANEWISE_STORE(__stwb, "wb")
LANEWISE_STORE(__stcg, "cg")
LANEWISE_STORE(__stcs, "cs")
LANEWISE_STORE(__stwt, "wt")
#undef LANEWISE_LOAD
#undef LANEWISE_STORE
