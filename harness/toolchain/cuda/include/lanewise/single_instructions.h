// What clang calls by the names of NVIDIA's device library and is one PTX instruction or a few: defined here, so that
// it costs what it costs with nvcc. The virtual GPU itself has the functions that take more.
#pragma once

#define LANEWISE_INLINE inline __device__ __attribute__((always_inline))

extern "C" {

#define LANEWISE_ONE(result, name, instruction, to, from, type) \
  LANEWISE_INLINE result name(type a) {                         \
    result r;                                                   \
    asm(instruction " %0, %1;" : to(r) : from(a));              \
    return r;                                                   \
  }
#define LANEWISE_TWO(result, name, instruction, to, from, type) \
  LANEWISE_INLINE result name(type a, type b) {                 \
    result r;                                                   \
    asm(instruction " %0, %1, %2;" : to(r) : from(a), from(b)); \
    return r;                                                   \
  }
#define LANEWISE_THREE(result, name, instruction, to, from, type)            \
  LANEWISE_INLINE result name(type a, type b, type c) {                      \
    result r;                                                                \
    asm(instruction " %0, %1, %2, %3;" : to(r) : from(a), from(b), from(c)); \
    return r;                                                                \
  }

// Arithmetic with a rounding mode: n for nearest, z for towards zero, u for up (PTX: p), d for down (PTX: m).
#define LANEWISE_ROUNDED(mode, ptx)                                                                   \
  LANEWISE_TWO(float, __nv_fadd_##mode, "add." #ptx ".f32", "=f", "f", float)                         \
  LANEWISE_TWO(float, __nv_fsub_##mode, "sub." #ptx ".f32", "=f", "f", float)                         \
  LANEWISE_TWO(float, __nv_fmul_##mode, "mul." #ptx ".f32", "=f", "f", float)                         \
  LANEWISE_TWO(float, __nv_fdiv_##mode, "div." #ptx ".f32", "=f", "f", float)                         \
  LANEWISE_ONE(float, __nv_frcp_##mode, "rcp." #ptx ".f32", "=f", "f", float)                         \
  LANEWISE_ONE(float, __nv_fsqrt_##mode, "sqrt." #ptx ".f32", "=f", "f", float)                       \
  LANEWISE_TWO(double, __nv_dadd_##mode, "add." #ptx ".f64", "=d", "d", double)                       \
  LANEWISE_TWO(double, __nv_dsub_##mode, "sub." #ptx ".f64", "=d", "d", double)                       \
  LANEWISE_TWO(double, __nv_dmul_##mode, "mul." #ptx ".f64", "=d", "d", double)                       \
  LANEWISE_TWO(double, __nv_ddiv_##mode, "div." #ptx ".f64", "=d", "d", double)                       \
  LANEWISE_ONE(double, __nv_drcp_##mode, "rcp." #ptx ".f64", "=d", "d", double)                       \
  LANEWISE_ONE(double, __nv_dsqrt_##mode, "sqrt." #ptx ".f64", "=d", "d", double)                     \
  LANEWISE_THREE(float, __nv_fmaf_##mode, "fma." #ptx ".f32", "=f", "f", float)                       \
  LANEWISE_THREE(float, __nv_fmaf_ieee_##mode, "fma." #ptx ".f32", "=f", "f", float)                  \
  LANEWISE_THREE(double, __nv_fma_##mode, "fma." #ptx ".f64", "=d", "d", double)                      \
  LANEWISE_ONE(float, __nv_double2float_##mode, "cvt." #ptx ".f32.f64", "=f", "d", double)            \
  LANEWISE_ONE(float, __nv_int2float_##mode, "cvt." #ptx ".f32.s32", "=f", "r", int)                  \
  LANEWISE_ONE(int, __nv_float2int_##mode, "cvt." #ptx "i.s32.f32", "=r", "f", float)                 \
  LANEWISE_ONE(int, __nv_double2int_##mode, "cvt." #ptx "i.s32.f64", "=r", "d", double)               \
  LANEWISE_ONE(float, __nv_uint2float_##mode, "cvt." #ptx ".f32.u32", "=f", "r", unsigned int)        \
  LANEWISE_ONE(unsigned int, __nv_float2uint_##mode, "cvt." #ptx "i.u32.f32", "=r", "f", float)       \
  LANEWISE_ONE(unsigned int, __nv_double2uint_##mode, "cvt." #ptx "i.u32.f64", "=r", "d", double)     \
  LANEWISE_ONE(float, __nv_ll2float_##mode, "cvt." #ptx ".f32.s64", "=f", "l", long long)             \
  LANEWISE_ONE(double, __nv_ll2double_##mode, "cvt." #ptx ".f64.s64", "=d", "l", long long)           \
  LANEWISE_ONE(long long, __nv_float2ll_##mode, "cvt." #ptx "i.s64.f32", "=l", "f", float)            \
  LANEWISE_ONE(long long, __nv_double2ll_##mode, "cvt." #ptx "i.s64.f64", "=l", "d", double)          \
  LANEWISE_ONE(float, __nv_ull2float_##mode, "cvt." #ptx ".f32.u64", "=f", "l", unsigned long long)   \
  LANEWISE_ONE(double, __nv_ull2double_##mode, "cvt." #ptx ".f64.u64", "=d", "l", unsigned long long) \
  LANEWISE_ONE(unsigned long long, __nv_float2ull_##mode, "cvt." #ptx "i.u64.f32", "=l", "f", float)  \
  LANEWISE_ONE(unsigned long long, __nv_double2ull_##mode, "cvt." #ptx "i.u64.f64", "=l", "d", double)
LANEWISE_ROUNDED(rn, rn)
LANEWISE_ROUNDED(rz, rz)
LANEWISE_ROUNDED(ru, rp)
LANEWISE_ROUNDED(rd, rm)
#undef LANEWISE_ROUNDED
LANEWISE_INLINE double __nv_int2double_rn(int a) { return a; }
LANEWISE_INLINE double __nv_uint2double_rn(unsigned int a) { return a; }
// Of every significand, what double comes to rounds to the nearest float.
LANEWISE_INLINE float __nv_frsqrt_rn(float a) { return static_cast<float>(1 / __builtin_sqrt(a)); }

// Integers.
LANEWISE_ONE(int, __nv_brev, "brev.b32", "=r", "r", int)
LANEWISE_ONE(long long, __nv_brevll, "brev.b64", "=l", "l", long long)
LANEWISE_ONE(int, __nv_clz, "clz.b32", "=r", "r", int)
LANEWISE_ONE(int, __nv_clzll, "clz.b64", "=r", "l", long long)
LANEWISE_INLINE int __nv_popc(unsigned int a) { return __builtin_popcount(a); }
LANEWISE_INLINE int __nv_popcll(unsigned long long a) { return __builtin_popcountll(a); }
LANEWISE_ONE(int, __nv_leading_one, "bfind.shiftamt.u32", "=r", "r", int)
LANEWISE_ONE(int, __nv_leading_onell, "bfind.shiftamt.u64", "=r", "l", long long)
LANEWISE_INLINE int __nv_ffs(int a) { return __nv_leading_one(__nv_brev(a)) + 1; }
LANEWISE_INLINE int __nv_ffsll(long long a) { return __nv_leading_onell(__nv_brevll(a)) + 1; }
LANEWISE_THREE(int, __nv_prmt, "prmt.b32", "=r", "r", int)
LANEWISE_INLINE int __nv_byte_perm(int a, int b, int selector) { return __nv_prmt(a, b, selector & 0x7777); }
LANEWISE_TWO(int, __nv_mul24, "mul24.lo.s32", "=r", "r", int)
LANEWISE_TWO(unsigned int, __nv_umul24, "mul24.lo.u32", "=r", "r", unsigned int)
LANEWISE_TWO(int, __nv_mulhi, "mul.hi.s32", "=r", "r", int)
LANEWISE_TWO(unsigned int, __nv_umulhi, "mul.hi.u32", "=r", "r", unsigned int)
LANEWISE_TWO(long long, __nv_mul64hi, "mul.hi.s64", "=l", "l", long long)
LANEWISE_TWO(unsigned long long, __nv_umul64hi, "mul.hi.u64", "=l", "l", unsigned long long)
LANEWISE_THREE(int, __nv_sad, "sad.s32", "=r", "r", int)
LANEWISE_THREE(unsigned int, __nv_usad, "sad.u32", "=r", "r", unsigned int)
LANEWISE_INLINE int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
LANEWISE_INLINE int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
LANEWISE_INLINE int __nv_uhadd(unsigned int a, unsigned int b) { return (a & b) + ((a ^ b) >> 1); }
LANEWISE_INLINE unsigned int __nv_urhadd(unsigned int a, unsigned int b) { return (a | b) - ((a ^ b) >> 1); }
LANEWISE_INLINE int __nv_abs(int a) { return a < 0 ? -a : a; }
LANEWISE_INLINE long long __nv_llabs(long long a) { return a < 0 ? -a : a; }
LANEWISE_INLINE int __nv_min(int a, int b) { return a < b ? a : b; }
LANEWISE_INLINE int __nv_max(int a, int b) { return a > b ? a : b; }
LANEWISE_INLINE unsigned int __nv_umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
LANEWISE_INLINE unsigned int __nv_umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
LANEWISE_INLINE long long __nv_llmin(long long a, long long b) { return a < b ? a : b; }
LANEWISE_INLINE long long __nv_llmax(long long a, long long b) { return a > b ? a : b; }
LANEWISE_INLINE unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
LANEWISE_INLINE unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

// The same bits as another type.
LANEWISE_INLINE int __nv_float_as_int(float a) { return __builtin_bit_cast(int, a); }
LANEWISE_INLINE unsigned int __nv_float_as_uint(float a) { return __builtin_bit_cast(unsigned int, a); }
LANEWISE_INLINE float __nv_int_as_float(int a) { return __builtin_bit_cast(float, a); }
LANEWISE_INLINE float __nv_uint_as_float(unsigned int a) { return __builtin_bit_cast(float, a); }
LANEWISE_INLINE unsigned long long __nv_double_as_longlong(double a) {
  return __builtin_bit_cast(unsigned long long, a);
}
LANEWISE_INLINE double __nv_longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
LANEWISE_INLINE int __nv_double2hiint(double a) { return static_cast<int>(__nv_double_as_longlong(a) >> 32); }
LANEWISE_INLINE int __nv_double2loint(double a) { return static_cast<int>(__nv_double_as_longlong(a)); }
LANEWISE_INLINE double __nv_hiloint2double(int high, int low) {
  return __nv_longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned int>(low));
}

// Floating point that PTX computes.
LANEWISE_INLINE float __nv_fabsf(float a) { return __builtin_fabsf(a); }
LANEWISE_INLINE double __nv_fabs(double a) { return __builtin_fabs(a); }
LANEWISE_INLINE float __nv_floorf(float a) { return __builtin_floorf(a); }
LANEWISE_INLINE double __nv_floor(double a) { return __builtin_floor(a); }
LANEWISE_INLINE float __nv_ceilf(float a) { return __builtin_ceilf(a); }
LANEWISE_INLINE double __nv_ceil(double a) { return __builtin_ceil(a); }
LANEWISE_INLINE float __nv_truncf(float a) { return __builtin_truncf(a); }
LANEWISE_INLINE double __nv_trunc(double a) { return __builtin_trunc(a); }
LANEWISE_INLINE float __nv_rintf(float a) { return __builtin_rintf(a); }
LANEWISE_INLINE double __nv_rint(double a) { return __builtin_rint(a); }
LANEWISE_INLINE float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
LANEWISE_INLINE double __nv_nearbyint(double a) { return __builtin_rint(a); }
LANEWISE_INLINE float __nv_sqrtf(float a) { return __builtin_sqrtf(a); }
LANEWISE_INLINE double __nv_sqrt(double a) { return __builtin_sqrt(a); }
LANEWISE_INLINE float __nv_roundf(float a) { return __builtin_roundf(a); }
LANEWISE_INLINE double __nv_round(double a) { return __builtin_round(a); }
LANEWISE_INLINE float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
LANEWISE_INLINE double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
LANEWISE_INLINE float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
LANEWISE_INLINE double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
LANEWISE_INLINE float __nv_copysignf(float a, float b) { return __builtin_copysignf(a, b); }
LANEWISE_INLINE double __nv_copysign(double a, double b) { return __builtin_copysign(a, b); }
LANEWISE_INLINE float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
LANEWISE_INLINE double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
LANEWISE_ONE(float, __nv_saturatef, "cvt.sat.f32.f32", "=f", "f", float)
LANEWISE_ONE(float, __nv_rsqrtf, "rsqrt.approx.f32", "=f", "f", float)
LANEWISE_ONE(double, __nv_rsqrt, "rsqrt.approx.f64", "=d", "d", double)
LANEWISE_ONE(double, __nv_rcp64h, "rcp.approx.ftz.f64", "=d", "d", double)
LANEWISE_INLINE int __nv_signbitf(float a) { return __nv_float_as_uint(a) >> 31; }
LANEWISE_INLINE int __nv_signbitd(double a) { return static_cast<int>(__nv_double_as_longlong(a) >> 63); }
LANEWISE_INLINE int __nv_isnanf(float a) { return a != a; }
LANEWISE_INLINE int __nv_isnand(double a) { return a != a; }
LANEWISE_INLINE int __nv_isinff(float a) { return __builtin_fabsf(a) == __builtin_inff(); }
LANEWISE_INLINE int __nv_isinfd(double a) { return __builtin_fabs(a) == __builtin_inf(); }
LANEWISE_INLINE int __nv_finitef(float a) { return __builtin_fabsf(a) < __builtin_inff(); }
LANEWISE_INLINE int __nv_isfinited(double a) { return __builtin_fabs(a) < __builtin_inf(); }
LANEWISE_ONE(unsigned short, __nv_float2half_rn, "cvt.rn.f16.f32", "=h", "f", float)
LANEWISE_ONE(float, __nv_half2float, "cvt.f32.f16", "=f", "h", unsigned short)

// The fast forms: CUDA C++ Programming Guide, "Intrinsic Functions".
LANEWISE_ONE(float, __nv_fast_sinf, "sin.approx.f32", "=f", "f", float)
LANEWISE_ONE(float, __nv_fast_cosf, "cos.approx.f32", "=f", "f", float)
LANEWISE_ONE(float, __nv_fast_log2f, "lg2.approx.f32", "=f", "f", float)
LANEWISE_ONE(float, __nv_fast_exp2f, "ex2.approx.f32", "=f", "f", float)
LANEWISE_TWO(float, __nv_fast_fdividef, "div.approx.f32", "=f", "f", float)
LANEWISE_INLINE void __nv_fast_sincosf(float a, float* sine, float* cosine) {
  *sine = __nv_fast_sinf(a);
  *cosine = __nv_fast_cosf(a);
}
LANEWISE_INLINE float __nv_fast_tanf(float a) { return __nv_fast_fdividef(__nv_fast_sinf(a), __nv_fast_cosf(a)); }
LANEWISE_INLINE float __nv_fast_expf(float a) { return __nv_fast_exp2f(a * 1.4426950408889634f); }
LANEWISE_INLINE float __nv_fast_exp10f(float a) { return __nv_fast_exp2f(a * 3.3219280948873624f); }
LANEWISE_INLINE float __nv_fast_logf(float a) { return __nv_fast_log2f(a) * 0.6931471805599453f; }
LANEWISE_INLINE float __nv_fast_log10f(float a) { return __nv_fast_log2f(a) * 0.3010299956639812f; }
LANEWISE_INLINE float __nv_fast_powf(float a, float b) { return __nv_fast_exp2f(b * __nv_fast_log2f(a)); }

// Functions with more than one result, or of an array, by those of the virtual GPU.
#define LANEWISE_SEVERAL(type, f, infinity)                                                                       \
  LANEWISE_INLINE void __nv_sincos##f(type a, type* sine, type* cosine) {                                         \
    *sine = __nv_sin##f(a);                                                                                       \
    *cosine = __nv_cos##f(a);                                                                                     \
  }                                                                                                               \
  LANEWISE_INLINE void __nv_sincospi##f(type a, type* sine, type* cosine) {                                       \
    *sine = __nv_sinpi##f(a);                                                                                     \
    *cosine = __nv_cospi##f(a);                                                                                   \
  }                                                                                                               \
  LANEWISE_INLINE type __nv_frexp##f(type a, int* exponent) {                                                     \
    const bool is_plain = a != 0 && __builtin_fabs##f(a) < infinity;                                              \
    *exponent = is_plain ? __nv_ilogb##f(a) + 1 : 0;                                                              \
    return is_plain ? __nv_scalbn##f(a, -*exponent) : a;                                                          \
  }                                                                                                               \
  LANEWISE_INLINE type __nv_modf##f(type a, type* whole) {                                                        \
    *whole = __builtin_trunc##f(a);                                                                               \
    return __builtin_copysign##f(__builtin_fabs##f(a) == infinity ? 0 : a - *whole, a);                           \
  }                                                                                                               \
  /* Of the quotient, the last three bits are wanted, and its sign: what is 8 times b changes neither. */         \
  LANEWISE_INLINE type __nv_remquo##f(type a, type b, int* quotient) {                                            \
    const type rest = 8 * __builtin_fabs##f(b) < infinity ? __nv_fmod##f(a, 8 * b) : a;                           \
    const type result = __nv_remainder##f(a, b);                                                                  \
    *quotient = static_cast<int>(__builtin_rint##f((rest - result) / b));                                         \
    return result;                                                                                                \
  }                                                                                                               \
  LANEWISE_INLINE type __nv_norm##f(int count, const type* numbers) {                                             \
    type length = 0;                                                                                              \
    for (int i = 0; i < count; ++i) length = __nv_hypot##f(length, numbers[i]);                                   \
    return length;                                                                                                \
  }                                                                                                               \
  LANEWISE_INLINE type __nv_rnorm##f(int count, const type* numbers) { return 1 / __nv_norm##f(count, numbers); } \
  LANEWISE_INLINE type __nv_nan##f(const signed char*) { return __builtin_nan##f(""); }
LANEWISE_SEVERAL(float, f, __builtin_inff())
LANEWISE_SEVERAL(double, , __builtin_inf())
#undef LANEWISE_SEVERAL
LANEWISE_INLINE long long __nv_llrintf(float a) { return __nv_float2ll_rn(a); }
LANEWISE_INLINE long long __nv_llrint(double a) { return __nv_double2ll_rn(a); }
LANEWISE_INLINE long long __nv_llroundf(float a) { return __nv_float2ll_rz(__builtin_roundf(a)); }
LANEWISE_INLINE long long __nv_llround(double a) { return __nv_double2ll_rz(__builtin_round(a)); }

#undef LANEWISE_ONE
#undef LANEWISE_TWO
#undef LANEWISE_THREE
}
