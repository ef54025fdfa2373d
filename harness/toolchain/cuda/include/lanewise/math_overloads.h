// min and max of mixed integers, and what C++ calls by one name for float and double: CUDA Math API.
#pragma once

// An int that meets an unsigned int counts as unsigned; so do the wider types. The pair of ints is clang's on the
// device.
#define LANEWISE_EXTREMUM(name, op)                                                                          \
  __host__ inline int name(int a, int b) { return a op b ? a : b; }                                          \
  __host__ __device__ inline unsigned int name(unsigned int a, unsigned int b) { return a op b ? a : b; }    \
  __host__ __device__ inline unsigned int name(int a, unsigned int b) {                                      \
    return name(static_cast<unsigned int>(a), b);                                                            \
  }                                                                                                          \
  __host__ __device__ inline unsigned int name(unsigned int a, int b) {                                      \
    return name(a, static_cast<unsigned int>(b));                                                            \
  }                                                                                                          \
  __host__ __device__ inline long name(long a, long b) { return a op b ? a : b; }                            \
  __host__ __device__ inline unsigned long name(unsigned long a, unsigned long b) { return a op b ? a : b; } \
  __host__ __device__ inline unsigned long name(long a, unsigned long b) {                                   \
    return name(static_cast<unsigned long>(a), b);                                                           \
  }                                                                                                          \
  __host__ __device__ inline unsigned long name(unsigned long a, long b) {                                   \
    return name(a, static_cast<unsigned long>(b));                                                           \
  }                                                                                                          \
  __host__ __device__ inline long long name(long long a, long long b) { return a op b ? a : b; }             \
  __host__ __device__ inline unsigned long long name(unsigned long long a, unsigned long long b) {           \
    return a op b ? a : b;                                                                                   \
  }                                                                                                          \
  __host__ __device__ inline unsigned long long name(long long a, unsigned long long b) {                    \
    return name(static_cast<unsigned long long>(a), b);                                                      \
  }                                                                                                          \
  __host__ __device__ inline unsigned long long name(unsigned long long a, long long b) {                    \
    return name(a, static_cast<unsigned long long>(b));                                                      \
  }                                                                                                          \
  __host__ __device__ inline float name(float a, float b) { return __builtin_f##name##f(a, b); }             \
  __host__ __device__ inline double name(double a, double b) { return __builtin_f##name(a, b); }             \
  __host__ __device__ inline double name(float a, double b) { return __builtin_f##name(a, b); }              \
  __host__ __device__ inline double name(double a, float b) { return __builtin_f##name(a, b); }
LANEWISE_EXTREMUM(min, <)
LANEWISE_EXTREMUM(max, >)
#undef LANEWISE_EXTREMUM

// Overloads for float that clang declares, for namespace std as well, and leaves to NVIDIA's headers to define.
#define LANEWISE_FLOAT static LANEWISE_INLINE float
#define LANEWISE_OF_ONE(name) \
  LANEWISE_FLOAT name(float a) { return ::name##f(a); }
#define LANEWISE_OF_TWO(name) \
  LANEWISE_FLOAT name(float a, float b) { return ::name##f(a, b); }
#define LANEWISE_TO_WHOLE(type, name) \
  static LANEWISE_INLINE type name(float a) { return ::name##f(a); }
LANEWISE_OF_ONE(acosh)
LANEWISE_OF_ONE(asinh)
LANEWISE_OF_ONE(atanh)
LANEWISE_OF_ONE(cbrt)
LANEWISE_OF_ONE(erf)
LANEWISE_OF_ONE(erfc)
LANEWISE_OF_ONE(exp2)
LANEWISE_OF_ONE(expm1)
LANEWISE_OF_ONE(lgamma)
LANEWISE_OF_ONE(log1p)
LANEWISE_OF_ONE(log2)
LANEWISE_OF_ONE(logb)
LANEWISE_OF_ONE(nearbyint)
LANEWISE_OF_ONE(rint)
LANEWISE_OF_ONE(round)
LANEWISE_OF_ONE(tgamma)
LANEWISE_OF_ONE(trunc)
LANEWISE_OF_TWO(copysign)
LANEWISE_OF_TWO(fdim)
LANEWISE_OF_TWO(fmax)
LANEWISE_OF_TWO(fmin)
LANEWISE_OF_TWO(hypot)
LANEWISE_OF_TWO(nextafter)
LANEWISE_OF_TWO(remainder)
LANEWISE_TO_WHOLE(int, ilogb)
LANEWISE_TO_WHOLE(long, lrint)
LANEWISE_TO_WHOLE(long, lround)
LANEWISE_TO_WHOLE(long long, llrint)
LANEWISE_TO_WHOLE(long long, llround)
LANEWISE_FLOAT fma(float a, float b, float c) { return ::fmaf(a, b, c); }
LANEWISE_FLOAT remquo(float a, float b, int* quotient) { return ::remquof(a, b, quotient); }
LANEWISE_FLOAT scalbn(float a, int n) { return ::scalbnf(a, n); }
LANEWISE_FLOAT scalbln(float a, long n) { return ::scalblnf(a, n); }
LANEWISE_FLOAT nanf(const char*) { return __builtin_nanf(""); }
static LANEWISE_INLINE double nan(const char*) { return __builtin_nan(""); }

// Of CUDA's own functions clang has those of double.
LANEWISE_OF_ONE(cospi)
LANEWISE_OF_ONE(cyl_bessel_i0)
LANEWISE_OF_ONE(cyl_bessel_i1)
LANEWISE_OF_ONE(erfcinv)
LANEWISE_OF_ONE(erfcx)
LANEWISE_OF_ONE(erfinv)
LANEWISE_OF_ONE(exp10)
LANEWISE_OF_ONE(j0)
LANEWISE_OF_ONE(j1)
LANEWISE_OF_ONE(normcdf)
LANEWISE_OF_ONE(normcdfinv)
LANEWISE_OF_ONE(rcbrt)
LANEWISE_OF_ONE(rsqrt)
LANEWISE_OF_ONE(sinpi)
LANEWISE_OF_ONE(y0)
LANEWISE_OF_ONE(y1)
LANEWISE_FLOAT jn(int n, float a) { return ::jnf(n, a); }
LANEWISE_FLOAT yn(int n, float a) { return ::ynf(n, a); }
static LANEWISE_INLINE void sincos(float a, float* sine, float* cosine) { ::sincosf(a, sine, cosine); }
static LANEWISE_INLINE void sincospi(float a, float* sine, float* cosine) { ::sincospif(a, sine, cosine); }
#undef LANEWISE_FLOAT
#undef LANEWISE_OF_ONE
#undef LANEWISE_OF_TWO
#undef LANEWISE_TO_WHOLE
