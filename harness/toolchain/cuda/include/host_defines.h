// The words that say where code runs and where variables live, as clang's attributes.
#pragma once

#if defined(__CUDA__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#if defined(__CUDA_ARCH__)
#define __managed__ __device__
#else  // see lanewise/managed.h
#define __managed__ __attribute__((device, section("lanewise_managed"), aligned(4096)))
#endif
#if __has_attribute(grid_constant)
#define __grid_constant__ __attribute__((grid_constant))
#else
#define __grid_constant__
#endif
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#endif
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __align__(bytes)
#define CUDARTAPI
#define CUDART_CB

#if defined(__CUDA__)
// `__shared__ alignas(16) int tile[256];` is the guide's own way to say it, but clang wants alignas before all else.
namespace lanewise {
template <class T>
constexpr unsigned long alignment() {
  return alignof(T);
}
template <unsigned long kBytes>
constexpr unsigned long alignment() {
  return kBytes;
}
}  // namespace lanewise
#define alignas(...) __attribute__((aligned(lanewise::alignment<__VA_ARGS__>())))
#endif
