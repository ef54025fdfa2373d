// What copies of libcu++ have in common: how aligned they are, and how one thread issues its part.
#pragma once

#include "../cuda_runtime.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cuda {

/// A number of bytes, and a promise that both addresses and the number are multiples of kAlignment.
template <size_t kAlignment>
struct aligned_size_t {
  static constexpr size_t align = kAlignment;
  size_t value;
  __host__ __device__ explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

}  // namespace cuda

namespace lanewise {

template <class Size>
struct AlignmentOf {
  static constexpr size_t kValue = 1;
};
template <size_t kAlignment>
struct AlignmentOf<cuda::aligned_size_t<kAlignment>> {
  static constexpr size_t kValue = kAlignment;
};

__device__ __forceinline__ unsigned int shared_address(const void* pointer) {
  return static_cast<unsigned int>(__cvta_generic_to_shared(pointer));
}

/// Thread `rank` of `count` copies its part of the bytes: in pieces of 16, 8 or 4 where addresses and number allow
/// that, and from global memory to shared by cp.async, which is not done before it is waited for; true then.
template <size_t kAlignment>
__device__ __forceinline__ bool copy_part(void* to, const void* from, size_t bytes, unsigned int rank,
                                          unsigned int count) {
  const unsigned long long all =
      reinterpret_cast<unsigned long long>(to) | reinterpret_cast<unsigned long long>(from) | bytes;
  char* const target = static_cast<char*>(to);
  const char* const source = static_cast<const char*>(from);
  if (!__isShared(to) || !__isGlobal(from) || (kAlignment < 4 && all % 4 != 0)) {
    for (size_t at = rank; at < bytes; at += count) target[at] = source[at];
    return false;
  }
  if (kAlignment >= 16 || all % 16 == 0) {
    for (size_t at = rank * size_t{16}; at < bytes; at += count * size_t{16})
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(target + at)), "l"(source + at)
                   : "memory");
  } else if (kAlignment >= 8 || all % 8 == 0) {
    for (size_t at = rank * size_t{8}; at < bytes; at += count * size_t{8})
      asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(target + at)), "l"(source + at)
                   : "memory");
  } else {
    for (size_t at = rank * size_t{4}; at < bytes; at += count * size_t{4})
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(target + at)), "l"(source + at)
                   : "memory");
  }
  return true;
}

}  // namespace lanewise

#pragma clang attribute pop
