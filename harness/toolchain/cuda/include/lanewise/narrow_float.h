// What cuda_fp16.h and cuda_bf16.h have in common, included once by each with these names defined: NARROW (the type),
// PAIR, WORD (as conversions spell it), F16 and F16X2 (as PTX spells it). CUDA Math API, "Half Precision Intrinsics"
// and "Bfloat16 Precision Intrinsics". On the host, values are computed in float and rounded.

#define LANEWISE_JOIN3_(a, b, c) a##b##c
#define LANEWISE_JOIN3(a, b, c) LANEWISE_JOIN3_(a, b, c)
#define LANEWISE_BOTH static inline __host__ __device__
#define LANEWISE_DEVICE static inline __device__

struct alignas(2) NARROW {
  unsigned short bits;
  NARROW() = default;
  __host__ __device__ NARROW(float value);
  __host__ __device__ NARROW(double value);
  __host__ __device__ NARROW(int value) : NARROW(static_cast<float>(value)) {}
  __host__ __device__ operator float() const;
};
struct alignas(4) PAIR {
  NARROW x, y;
  PAIR() = default;
  __host__ __device__ PAIR(const NARROW& low, const NARROW& high) : x(low), y(high) {}
};

namespace lanewise {
LANEWISE_BOTH NARROW LANEWISE_JOIN3(WORD, _of, )(unsigned short bits) {
  NARROW result;
  result.bits = bits;
  return result;
}
LANEWISE_BOTH unsigned int bits_of(PAIR pair) { return __builtin_bit_cast(unsigned int, pair); }
}  // namespace lanewise
#define LANEWISE_OF lanewise::LANEWISE_JOIN3(WORD, _of, )

// --- conversions ---

// From float, in four ways; on the host to the nearest only.
#define LANEWISE_FROM_FLOAT(mode, ptx)                                          \
  LANEWISE_DEVICE NARROW LANEWISE_JOIN3(__float2, WORD, _##mode)(float value) { \
    unsigned short r;                                                           \
    asm("cvt." ptx "." F16 ".f32 %0, %1;" : "=h"(r) : "f"(value));              \
    return LANEWISE_OF(r);                                                      \
  }
LANEWISE_FROM_FLOAT(rz, "rz")
LANEWISE_FROM_FLOAT(rd, "rm")
LANEWISE_FROM_FLOAT(ru, "rp")
#undef LANEWISE_FROM_FLOAT
LANEWISE_BOTH NARROW LANEWISE_JOIN3(__float2, WORD, _rn)(float value) {
#ifdef __CUDA_ARCH__
  unsigned short r;
  asm("cvt.rn." F16 ".f32 %0, %1;" : "=h"(r) : "f"(value));
  return LANEWISE_OF(r);
#else
  return LANEWISE_OF(lanewise::LANEWISE_JOIN3(WORD, _bits, )(value));
#endif
}
LANEWISE_BOTH NARROW LANEWISE_JOIN3(__float2, WORD, )(float value) {
  return LANEWISE_JOIN3(__float2, WORD, _rn)(value);
}
LANEWISE_BOTH NARROW LANEWISE_JOIN3(__double2, WORD, )(double value) {
#ifdef __CUDA_ARCH__
  unsigned short r;
  asm("cvt.rn." F16 ".f64 %0, %1;" : "=h"(r) : "d"(value));
  return LANEWISE_OF(r);
#else
  return LANEWISE_OF(lanewise::LANEWISE_JOIN3(WORD, _bits, )(value));
#endif
}
LANEWISE_BOTH float LANEWISE_JOIN3(__, WORD, 2float)(NARROW value) {
#ifdef __CUDA_ARCH__
  float r;
  asm("cvt.f32." F16 " %0, %1;" : "=f"(r) : "h"(value.bits));
  return r;
#else
  return lanewise::LANEWISE_JOIN3(WORD, _value, )(value.bits);
#endif
}
inline __host__ __device__ NARROW::NARROW(float value) : NARROW(LANEWISE_JOIN3(__float2, WORD, )(value)) {}
inline __host__ __device__ NARROW::NARROW(double value) : NARROW(LANEWISE_JOIN3(__double2, WORD, )(value)) {}
inline __host__ __device__ NARROW::operator float() const { return LANEWISE_JOIN3(__, WORD, 2float)(*this); }

// From and to integers.
#define LANEWISE_INTEGER_WAY(name, type, ptx_type, letter, mode, ptx)                   \
  LANEWISE_DEVICE NARROW LANEWISE_JOIN3(__##name##2, WORD, _##mode)(type value) {       \
    unsigned short r;                                                                   \
    asm("cvt." ptx "." F16 "." ptx_type " %0, %1;" : "=h"(r) : letter(value));          \
    return LANEWISE_OF(r);                                                              \
  }                                                                                     \
  LANEWISE_DEVICE type LANEWISE_JOIN3(__, WORD, 2##name##_##mode)(NARROW value) {       \
    type r;                                                                             \
    asm("cvt." ptx "i." ptx_type "." F16 " %0, %1;" : "=" letter(r) : "h"(value.bits)); \
    return r;                                                                           \
  }
#define LANEWISE_INTEGER(name, type, ptx_type, letter)         \
  LANEWISE_INTEGER_WAY(name, type, ptx_type, letter, rn, "rn") \
  LANEWISE_INTEGER_WAY(name, type, ptx_type, letter, rz, "rz") \
  LANEWISE_INTEGER_WAY(name, type, ptx_type, letter, rd, "rm") \
  LANEWISE_INTEGER_WAY(name, type, ptx_type, letter, ru, "rp")
LANEWISE_INTEGER(short, short, "s16", "h")
LANEWISE_INTEGER(ushort, unsigned short, "u16", "h")
LANEWISE_INTEGER(int, int, "s32", "r")
LANEWISE_INTEGER(uint, unsigned int, "u32", "r")
LANEWISE_INTEGER(ll, long long, "s64", "l")
LANEWISE_INTEGER(ull, unsigned long long, "u64", "l")
#undef LANEWISE_INTEGER
#undef LANEWISE_INTEGER_WAY
LANEWISE_DEVICE signed char LANEWISE_JOIN3(__, WORD, 2char_rz)(NARROW value) {
  int r;
  asm("{\n.reg .s8 byte;\ncvt.rzi.s8." F16 " byte, %1;\ncvt.s32.s8 %0, byte;\n}" : "=r"(r) : "h"(value.bits));
  return static_cast<signed char>(r);
}
LANEWISE_DEVICE unsigned char LANEWISE_JOIN3(__, WORD, 2uchar_rz)(NARROW value) {
  unsigned int r;
  asm("{\n.reg .u8 byte;\ncvt.rzi.u8." F16 " byte, %1;\ncvt.u32.u8 %0, byte;\n}" : "=r"(r) : "h"(value.bits));
  return static_cast<unsigned char>(r);
}
LANEWISE_BOTH unsigned short LANEWISE_JOIN3(__, WORD, _as_ushort)(NARROW value) { return value.bits; }
LANEWISE_BOTH short LANEWISE_JOIN3(__, WORD, _as_short)(NARROW value) { return static_cast<short>(value.bits); }
LANEWISE_BOTH NARROW LANEWISE_JOIN3(__ushort_as_, WORD, )(unsigned short bits) { return LANEWISE_OF(bits); }
LANEWISE_BOTH NARROW LANEWISE_JOIN3(__short_as_, WORD, )(short bits) {
  return LANEWISE_OF(static_cast<unsigned short>(bits));
}

// Pairs.
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__halves2, WORD, 2)(NARROW low, NARROW high) { return PAIR(low, high); }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__floats2, WORD, 2_rn)(float low, float high) { return PAIR(low, high); }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__float2, WORD, 2_rn)(float value) { return PAIR(value, value); }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__float22, WORD, 2_rn)(float2 values) { return PAIR(values.x, values.y); }
LANEWISE_BOTH float2 LANEWISE_JOIN3(__, WORD, 22float2)(PAIR pair) { return {pair.x, pair.y}; }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__, WORD, LANEWISE_JOIN3(2, WORD, 2))(NARROW value) { return PAIR(value, value); }
LANEWISE_BOTH NARROW LANEWISE_JOIN3(__low2, WORD, )(PAIR pair) { return pair.x; }
LANEWISE_BOTH NARROW LANEWISE_JOIN3(__high2, WORD, )(PAIR pair) { return pair.y; }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__low2, WORD, 2)(PAIR pair) { return PAIR(pair.x, pair.x); }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__high2, WORD, 2)(PAIR pair) { return PAIR(pair.y, pair.y); }
LANEWISE_BOTH float __low2float(PAIR pair) { return pair.x; }
LANEWISE_BOTH float __high2float(PAIR pair) { return pair.y; }
LANEWISE_BOTH PAIR __lowhigh2highlow(PAIR pair) { return PAIR(pair.y, pair.x); }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__lows2, WORD, 2)(PAIR a, PAIR b) { return PAIR(a.x, b.x); }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(__highs2, WORD, 2)(PAIR a, PAIR b) { return PAIR(a.y, b.y); }
LANEWISE_BOTH PAIR LANEWISE_JOIN3(make_, WORD, 2)(NARROW low, NARROW high) { return PAIR(low, high); }

// --- arithmetic: one instruction each ---

#define LANEWISE_ONE(name, name2, instruction)                                   \
  LANEWISE_DEVICE NARROW name(NARROW a) {                                        \
    unsigned short r;                                                            \
    asm(instruction "." F16 " %0, %1;" : "=h"(r) : "h"(a.bits));                 \
    return LANEWISE_OF(r);                                                       \
  }                                                                              \
  LANEWISE_DEVICE PAIR name2(PAIR a) {                                           \
    unsigned int r;                                                              \
    asm(instruction "." F16X2 " %0, %1;" : "=r"(r) : "r"(lanewise::bits_of(a))); \
    return __builtin_bit_cast(PAIR, r);                                          \
  }
#define LANEWISE_TWO(name, name2, instruction)                                                                  \
  LANEWISE_DEVICE NARROW name(NARROW a, NARROW b) {                                                             \
    unsigned short r;                                                                                           \
    asm(instruction "." F16 " %0, %1, %2;" : "=h"(r) : "h"(a.bits), "h"(b.bits));                               \
    return LANEWISE_OF(r);                                                                                      \
  }                                                                                                             \
  LANEWISE_DEVICE PAIR name2(PAIR a, PAIR b) {                                                                  \
    unsigned int r;                                                                                             \
    asm(instruction "." F16X2 " %0, %1, %2;" : "=r"(r) : "r"(lanewise::bits_of(a)), "r"(lanewise::bits_of(b))); \
    return __builtin_bit_cast(PAIR, r);                                                                         \
  }
#define LANEWISE_THREE(name, name2, instruction)                                                   \
  LANEWISE_DEVICE NARROW name(NARROW a, NARROW b, NARROW c) {                                      \
    unsigned short r;                                                                              \
    asm(instruction "." F16 " %0, %1, %2, %3;" : "=h"(r) : "h"(a.bits), "h"(b.bits), "h"(c.bits)); \
    return LANEWISE_OF(r);                                                                         \
  }                                                                                                \
  LANEWISE_DEVICE PAIR name2(PAIR a, PAIR b, PAIR c) {                                             \
    unsigned int r;                                                                                \
    asm(instruction "." F16X2 " %0, %1, %2, %3;"                                                   \
        : "=r"(r)                                                                                  \
        : "r"(lanewise::bits_of(a)), "r"(lanewise::bits_of(b)), "r"(lanewise::bits_of(c)));        \
    return __builtin_bit_cast(PAIR, r);                                                            \
  }
LANEWISE_TWO(__hadd, __hadd2, "add")
LANEWISE_TWO(__hsub, __hsub2, "sub")
LANEWISE_TWO(__hmul, __hmul2, "mul")
LANEWISE_TWO(__hadd_rn, __hadd2_rn, "add.rn")
LANEWISE_TWO(__hsub_rn, __hsub2_rn, "sub.rn")
LANEWISE_TWO(__hmul_rn, __hmul2_rn, "mul.rn")
LANEWISE_TWO(__hmin, __hmin2, "min")
LANEWISE_TWO(__hmax, __hmax2, "max")
LANEWISE_TWO(__hmin_nan, __hmin2_nan, "min.NaN")
LANEWISE_TWO(__hmax_nan, __hmax2_nan, "max.NaN")
LANEWISE_THREE(__hfma, __hfma2, "fma.rn")
LANEWISE_THREE(__hfma_relu, __hfma2_relu, "fma.rn.relu")
LANEWISE_ONE(__hneg, __hneg2, "neg")
LANEWISE_ONE(__habs, __habs2, "abs")
LANEWISE_ONE(htanh_approx, h2tanh_approx, "tanh.approx")
#undef LANEWISE_ONE
#undef LANEWISE_TWO
#undef LANEWISE_THREE

namespace lanewise {
/// To what lies between 0 and 1; NaN is 0.
LANEWISE_DEVICE NARROW saturated(NARROW value) { return __hmin(__hmax(value, NARROW(0.0f)), NARROW(1.0f)); }
LANEWISE_DEVICE PAIR saturated(PAIR pair) { return PAIR(saturated(pair.x), saturated(pair.y)); }
}  // namespace lanewise
LANEWISE_DEVICE NARROW __hadd_sat(NARROW a, NARROW b) { return lanewise::saturated(__hadd(a, b)); }
LANEWISE_DEVICE NARROW __hsub_sat(NARROW a, NARROW b) { return lanewise::saturated(__hsub(a, b)); }
LANEWISE_DEVICE NARROW __hmul_sat(NARROW a, NARROW b) { return lanewise::saturated(__hmul(a, b)); }
LANEWISE_DEVICE NARROW __hfma_sat(NARROW a, NARROW b, NARROW c) { return lanewise::saturated(__hfma(a, b, c)); }
LANEWISE_DEVICE PAIR __hadd2_sat(PAIR a, PAIR b) { return lanewise::saturated(__hadd2(a, b)); }
LANEWISE_DEVICE PAIR __hsub2_sat(PAIR a, PAIR b) { return lanewise::saturated(__hsub2(a, b)); }
LANEWISE_DEVICE PAIR __hmul2_sat(PAIR a, PAIR b) { return lanewise::saturated(__hmul2(a, b)); }
LANEWISE_DEVICE PAIR __hfma2_sat(PAIR a, PAIR b, PAIR c) { return lanewise::saturated(__hfma2(a, b, c)); }
LANEWISE_DEVICE NARROW __hdiv(NARROW a, NARROW b) { return NARROW(static_cast<float>(a) / static_cast<float>(b)); }
LANEWISE_DEVICE PAIR __h2div(PAIR a, PAIR b) { return PAIR(__hdiv(a.x, b.x), __hdiv(a.y, b.y)); }

// --- comparisons ---

#define LANEWISE_COMPARE(suffix)                                                                                       \
  LANEWISE_DEVICE bool __h##suffix(NARROW a, NARROW b) {                                                               \
    unsigned int r;                                                                                                    \
    asm("{\n.reg .pred p;\nsetp." #suffix "." F16 " p, %1, %2;\nselp.u32 %0, 1, 0, p;\n}"                              \
        : "=r"(r)                                                                                                      \
        : "h"(a.bits), "h"(b.bits));                                                                                   \
    return r != 0;                                                                                                     \
  }                                                                                                                    \
  LANEWISE_DEVICE unsigned int __h##suffix##2_mask(PAIR a, PAIR b) {                                                   \
    unsigned int r;                                                                                                    \
    asm("set." #suffix ".u32." F16X2 " %0, %1, %2;" : "=r"(r) : "r"(lanewise::bits_of(a)), "r"(lanewise::bits_of(b))); \
    return r;                                                                                                          \
  }                                                                                                                    \
  LANEWISE_DEVICE PAIR __h##suffix##2(PAIR a, PAIR b) {                                                                \
    unsigned int r;                                                                                                    \
    asm("set." #suffix "." F16X2 "." F16X2 " %0, %1, %2;"                                                              \
        : "=r"(r)                                                                                                      \
        : "r"(lanewise::bits_of(a)), "r"(lanewise::bits_of(b)));                                                       \
    return __builtin_bit_cast(PAIR, r);                                                                                \
  }                                                                                                                    \
  LANEWISE_DEVICE bool __hb##suffix##2(PAIR a, PAIR b) { return __h##suffix##2_mask(a, b) == 0xFFFFFFFF; }
LANEWISE_COMPARE(eq)
LANEWISE_COMPARE(ne)
LANEWISE_COMPARE(lt)
LANEWISE_COMPARE(le)
LANEWISE_COMPARE(gt)
LANEWISE_COMPARE(ge)
LANEWISE_COMPARE(equ)
LANEWISE_COMPARE(neu)
LANEWISE_COMPARE(ltu)
LANEWISE_COMPARE(leu)
LANEWISE_COMPARE(gtu)
LANEWISE_COMPARE(geu)
#undef LANEWISE_COMPARE
LANEWISE_DEVICE bool __hisnan(NARROW a) { return __hneu(a, a); }
LANEWISE_DEVICE PAIR __hisnan2(PAIR a) { return __hneu2(a, a); }

// --- functions, in float ---

#define LANEWISE_FUNCTION(name, name2, function)                                            \
  LANEWISE_DEVICE NARROW name(NARROW a) { return NARROW(function(static_cast<float>(a))); } \
  LANEWISE_DEVICE PAIR name2(PAIR a) { return PAIR(name(a.x), name(a.y)); }
LANEWISE_FUNCTION(hexp, h2exp, ::expf)
LANEWISE_FUNCTION(hexp2, h2exp2, ::exp2f)
LANEWISE_FUNCTION(hexp10, h2exp10, ::exp10f)
LANEWISE_FUNCTION(hlog, h2log, ::logf)
LANEWISE_FUNCTION(hlog2, h2log2, ::log2f)
LANEWISE_FUNCTION(hlog10, h2log10, ::log10f)
LANEWISE_FUNCTION(hsin, h2sin, ::sinf)
LANEWISE_FUNCTION(hcos, h2cos, ::cosf)
LANEWISE_FUNCTION(hrcp, h2rcp, 1.0f /)
LANEWISE_FUNCTION(hrsqrt, h2rsqrt, ::rsqrtf)
LANEWISE_FUNCTION(hsqrt, h2sqrt, ::sqrtf)
LANEWISE_FUNCTION(htanh, h2tanh, ::tanhf)
LANEWISE_FUNCTION(hfloor, h2floor, ::floorf)
LANEWISE_FUNCTION(hceil, h2ceil, ::ceilf)
LANEWISE_FUNCTION(htrunc, h2trunc, ::truncf)
LANEWISE_FUNCTION(hrint, h2rint, ::rintf)
#undef LANEWISE_FUNCTION

// --- operators ---

#ifdef __CUDA_ARCH__
#define LANEWISE_OPERATOR(op, function, function2)                                   \
  LANEWISE_DEVICE NARROW operator op(NARROW a, NARROW b) { return function(a, b); }  \
  LANEWISE_DEVICE PAIR operator op(PAIR a, PAIR b) { return function2(a, b); }       \
  LANEWISE_DEVICE NARROW& operator op##=(NARROW& a, NARROW b) { return a = a op b; } \
  LANEWISE_DEVICE PAIR& operator op##=(PAIR& a, PAIR b) { return a = a op b; }
#define LANEWISE_RELATION(op, function) \
  LANEWISE_DEVICE bool operator op(NARROW a, NARROW b) { return function(a, b); }
#else
#define LANEWISE_OPERATOR(op, function, function2)                                        \
  LANEWISE_BOTH NARROW operator op(NARROW a, NARROW b) {                                  \
    return NARROW(static_cast<float>(a) op static_cast<float>(b));                        \
  }                                                                                       \
  LANEWISE_BOTH PAIR operator op(PAIR a, PAIR b) { return PAIR(a.x op b.x, a.y op b.y); } \
  LANEWISE_BOTH NARROW& operator op##=(NARROW& a, NARROW b) { return a = a op b; }        \
  LANEWISE_BOTH PAIR& operator op##=(PAIR& a, PAIR b) { return a = a op b; }
#define LANEWISE_RELATION(op, function) \
  LANEWISE_BOTH bool operator op(NARROW a, NARROW b) { return static_cast<float>(a) op static_cast<float>(b); }
#endif
LANEWISE_OPERATOR(+, __hadd, __hadd2)
LANEWISE_OPERATOR(-, __hsub, __hsub2)
LANEWISE_OPERATOR(*, __hmul, __hmul2)
LANEWISE_OPERATOR(/, __hdiv, __h2div)
LANEWISE_RELATION(==, __heq)
LANEWISE_RELATION(!=, __hneu)
LANEWISE_RELATION(<, __hlt)
LANEWISE_RELATION(<=, __hle)
LANEWISE_RELATION(>, __hgt)
LANEWISE_RELATION(>=, __hge)
#undef LANEWISE_OPERATOR
#undef LANEWISE_RELATION
LANEWISE_BOTH NARROW operator-(NARROW a) { return LANEWISE_OF(a.bits ^ 0x8000); }
LANEWISE_BOTH PAIR operator-(PAIR a) { return PAIR(-a.x, -a.y); }

// --- memory and other lanes ---

LANEWISE_DEVICE NARROW atomicAdd(NARROW* address, NARROW value) {
  unsigned short r;
  asm volatile("atom.add.noftz." F16 " %0, [%1], %2;" : "=h"(r) : "l"(address), "h"(value.bits) : "memory");
  return LANEWISE_OF(r);
}
LANEWISE_DEVICE PAIR atomicAdd(PAIR* address, PAIR value) {
  unsigned int r;
  asm volatile("atom.add.noftz." F16X2 " %0, [%1], %2;"
               : "=r"(r)
               : "l"(address), "r"(lanewise::bits_of(value))
               : "memory");
  return __builtin_bit_cast(PAIR, r);
}
LANEWISE_DEVICE NARROW __ldg(const NARROW* address) {
  return LANEWISE_OF(__ldg(reinterpret_cast<const unsigned short*>(address)));
}
LANEWISE_DEVICE PAIR __ldg(const PAIR* address) {
  return __builtin_bit_cast(PAIR, __ldg(reinterpret_cast<const unsigned int*>(address)));
}
#define LANEWISE_SHUFFLE(name, type)                                                                                 \
  LANEWISE_DEVICE NARROW name(unsigned int mask, NARROW value, type lane, int width = warpSize) {                    \
    return LANEWISE_OF(static_cast<unsigned short>(name(mask, static_cast<unsigned int>(value.bits), lane, width))); \
  }                                                                                                                  \
  LANEWISE_DEVICE PAIR name(unsigned int mask, PAIR value, type lane, int width = warpSize) {                        \
    return __builtin_bit_cast(PAIR, name(mask, lanewise::bits_of(value), lane, width));                              \
  }
LANEWISE_SHUFFLE(__shfl_sync, int)
LANEWISE_SHUFFLE(__shfl_up_sync, unsigned int)
LANEWISE_SHUFFLE(__shfl_down_sync, unsigned int)
LANEWISE_SHUFFLE(__shfl_xor_sync, int)
#undef LANEWISE_SHUFFLE

#undef LANEWISE_OF
#undef LANEWISE_BOTH
#undef LANEWISE_DEVICE
#undef LANEWISE_JOIN3
#undef LANEWISE_JOIN3_
