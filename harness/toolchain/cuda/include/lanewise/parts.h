// Functions of halves and quarters of a word (__vadd2, __vmaxu4): CUDA Math API, "SIMD Intrinsics". Clang calls them by
// the names of NVIDIA's device library.
#pragma once

namespace lanewise {

/// f(part of a, part of b) for every part of `kBits` bits, side by side.
template <int kBits, bool kIsSigned, class F>
__device__ __forceinline__ int by_parts(unsigned int a, unsigned int b, F f) {
  constexpr unsigned int kMask = (1u << kBits) - 1;
  unsigned int word = 0;
#pragma unroll
  for (int at = 0; at < 32; at += kBits) {
    const int above = 32 - kBits - at;
    const int x = kIsSigned ? static_cast<int>(a << above) >> (32 - kBits) : static_cast<int>(a >> at & kMask);
    const int y = kIsSigned ? static_cast<int>(b << above) >> (32 - kBits) : static_cast<int>(b >> at & kMask);
    word |= (static_cast<unsigned int>(f(x, y)) & kMask) << at;
  }
  return static_cast<int>(word);
}
template <int kBits>
__device__ __forceinline__ int sum_of_parts(unsigned int word) {
  unsigned int sum = 0;
#pragma unroll
  for (int at = 0; at < 32; at += kBits) sum += word >> at & ((1u << kBits) - 1);
  return static_cast<int>(sum);
}
__device__ __forceinline__ int clamped(int value, int least, int most) {
  return value < least ? least : value > most ? most : value;
}

}  // namespace lanewise

#define LANEWISE_PART(name, bits, is_signed, expression)                                       \
  inline __device__ __attribute__((always_inline)) int __nv_v##name(int a, int b) {            \
    constexpr int kLeast = (is_signed) ? -(1 << (bits - 1)) : 0;                               \
    constexpr int kMost = (1 << ((is_signed) ? bits - 1 : bits)) - 1;                          \
    static_cast<void>(kLeast), static_cast<void>(kMost);                                       \
    return lanewise::by_parts<bits, is_signed>(a, b, [](int x, int y) { return expression; }); \
  }
#define LANEWISE_ONE_PART(name, bits, is_signed, expression)                                         \
  inline __device__ __attribute__((always_inline)) int __nv_v##name(int a) {                         \
    constexpr int kMost = (1 << (bits - 1)) - 1;                                                     \
    static_cast<void>(kMost);                                                                        \
    return lanewise::by_parts<bits, is_signed>(a, 0, [](int x, int y) { return y + (expression); }); \
  }
#define LANEWISE_SUM(name, bits, distance)                                          \
  inline __device__ __attribute__((always_inline)) int __nv_v##name(int a, int b) { \
    return lanewise::sum_of_parts<bits>(distance(a, b));                            \
  }
#define LANEWISE_RELATIONS(name, n, bits, is_signed, op)        \
  LANEWISE_PART(cmp##name##n, bits, is_signed, x op y ? -1 : 0) \
  LANEWISE_PART(set##name##n, bits, is_signed, x op y ? 1 : 0)
#define LANEWISE_PARTS(n, bits)                                                                \
  LANEWISE_ONE_PART(abs##n, bits, true, x < 0 ? -x : x)                                        \
  LANEWISE_ONE_PART(absss##n, bits, true, x < -kMost ? kMost : x < 0 ? -x : x)                 \
  LANEWISE_ONE_PART(neg##n, bits, true, -x)                                                    \
  LANEWISE_ONE_PART(negss##n, bits, true, x < -kMost ? kMost : -x)                             \
  LANEWISE_PART(add##n, bits, false, x + y)                                                    \
  LANEWISE_PART(addss##n, bits, true, lanewise::clamped(x + y, kLeast, kMost))                 \
  LANEWISE_PART(addus##n, bits, false, lanewise::clamped(x + y, kLeast, kMost))                \
  LANEWISE_PART(sub##n, bits, false, x - y)                                                    \
  LANEWISE_PART(subss##n, bits, true, lanewise::clamped(x - y, kLeast, kMost))                 \
  LANEWISE_PART(subus##n, bits, false, lanewise::clamped(x - y, kLeast, kMost))                \
  LANEWISE_PART(absdiffs##n, bits, true, x < y ? y - x : x - y)                                \
  LANEWISE_PART(absdiffu##n, bits, false, x < y ? y - x : x - y)                               \
  LANEWISE_PART(avgs##n, bits, true, (x + y + (x + y >= 0 ? 1 : 0)) >> 1) /* away from zero */ \
  LANEWISE_PART(avgu##n, bits, false, (x + y + 1) >> 1)                                        \
  LANEWISE_PART(haddu##n, bits, false, (x + y) >> 1)                                           \
  LANEWISE_PART(maxs##n, bits, true, x < y ? y : x)                                            \
  LANEWISE_PART(maxu##n, bits, false, x < y ? y : x)                                           \
  LANEWISE_PART(mins##n, bits, true, y < x ? y : x)                                            \
  LANEWISE_PART(minu##n, bits, false, y < x ? y : x)                                           \
  LANEWISE_SUM(sads##n, bits, __nv_vabsdiffs##n)                                               \
  LANEWISE_SUM(sadu##n, bits, __nv_vabsdiffu##n)                                               \
  LANEWISE_RELATIONS(eq, n, bits, false, ==)                                                   \
  LANEWISE_RELATIONS(ne, n, bits, false, !=)                                                   \
  LANEWISE_RELATIONS(ges, n, bits, true, >=)                                                   \
  LANEWISE_RELATIONS(geu, n, bits, false, >=)                                                  \
  LANEWISE_RELATIONS(gts, n, bits, true, >)                                                    \
  LANEWISE_RELATIONS(gtu, n, bits, false, >)                                                   \
  LANEWISE_RELATIONS(les, n, bits, true, <=)                                                   \
  LANEWISE_RELATIONS(leu, n, bits, false, <=)                                                  \
  LANEWISE_RELATIONS(lts, n, bits, true, <)                                                    \
  LANEWISE_RELATIONS(ltu, n, bits, false, <)

extern "C" {
LANEWISE_PARTS(2, 16)
LANEWISE_PARTS(4, 8)
}
#undef LANEWISE_PARTS
#undef LANEWISE_RELATIONS
#undef LANEWISE_SUM
#undef LANEWISE_ONE_PART
#undef LANEWISE_PART
