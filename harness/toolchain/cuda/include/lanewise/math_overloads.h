// min and max of mixed integers, and functions of the host that CUDA has and C++ has not: CUDA Math API.
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
