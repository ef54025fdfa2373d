// __match_any_sync and __match_all_sync, which clang's headers include by this name: by bits, whatever the type.
#pragma once

template <class T>
__device__ inline unsigned int __match_any_sync(unsigned int mask, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_any_sync compares 4 or 8 bytes");
  if constexpr (sizeof(T) == 4) return __match32_any_sync(mask, __builtin_bit_cast(unsigned int, value));
  if constexpr (sizeof(T) == 8) return __match64_any_sync(mask, __builtin_bit_cast(unsigned long long, value));
}

template <class T>
__device__ inline unsigned int __match_all_sync(unsigned int mask, T value, int* are_equal) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "__match_all_sync compares 4 or 8 bytes");
  if constexpr (sizeof(T) == 4) return __match32_all_sync(mask, __builtin_bit_cast(unsigned int, value), are_equal);
  if constexpr (sizeof(T) == 8)
    return __match64_all_sync(mask, __builtin_bit_cast(unsigned long long, value), are_equal);
}
