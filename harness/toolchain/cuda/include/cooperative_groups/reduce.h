// A group's values to one, which all its threads get: CUDA C++ Programming Guide, "Collective Operations".
#pragma once

#include "../cooperative_groups.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

template <class T>
struct plus {
  __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  __host__ __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  __host__ __device__ T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  __host__ __device__ T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  __host__ __device__ T operator()(T a, T b) const { return a ^ b; }
};

namespace details {
// One instruction for 32-bit integers.
template <class T>
constexpr bool kIsWord = false;
template <>
inline constexpr bool kIsWord<int> = true;
template <>
inline constexpr bool kIsWord<unsigned int> = true;
template <class Op, class T>
struct Redux {
  static constexpr bool kIs = false;
};
#define LANEWISE_REDUX(op, function)                                                     \
  template <class T>                                                                     \
  struct Redux<op<T>, T> {                                                               \
    static constexpr bool kIs = kIsWord<T>;                                              \
    __device__ static T of(unsigned int mask, T value) { return function(mask, value); } \
  };
LANEWISE_REDUX(plus, __reduce_add_sync)
LANEWISE_REDUX(less, __reduce_min_sync)
LANEWISE_REDUX(greater, __reduce_max_sync)
LANEWISE_REDUX(bit_and, __reduce_and_sync)
LANEWISE_REDUX(bit_or, __reduce_or_sync)
LANEWISE_REDUX(bit_xor, __reduce_xor_sync)
#undef LANEWISE_REDUX
}  // namespace details

template <class T, class Op>
__device__ inline T reduce(const coalesced_group& group, T value, Op op) {
  if constexpr (details::Redux<Op, T>::kIs) {
    return details::Redux<Op, T>::of(group.lanes(), value);
  } else {
    const unsigned int rank = group.thread_rank(), size = group.size();
    for (unsigned int distance = 1; distance < size; distance *= 2) {
      const T other = group.shfl_down(value, distance);
      if (rank + distance < size) value = op(value, other);
    }
    return group.shfl(value, 0);
  }
}
template <unsigned int kSize, class Parent, class T, class Op>
__device__ inline T reduce(const thread_block_tile<kSize, Parent>& group, T value, Op op) {
  if constexpr (details::Redux<Op, T>::kIs) {
    return details::Redux<Op, T>::of(group.lanes(), value);
  } else {
    for (unsigned int distance = kSize / 2; distance > 0; distance /= 2)
      value = op(value, group.shfl_xor(value, distance));
    return value;
  }
}
template <unsigned int kSize, class T, class Op>
__device__ inline T reduce(const wide_tile<kSize>& group, T value, Op op) {
  for (unsigned int distance = 16; distance > 0; distance /= 2)
    value = op(value, details::by_words(value, [&](unsigned int word) {
                 return __shfl_xor_sync(0xFFFFFFFF, word, static_cast<int>(distance));
               }));
  return group.combine_warps(value, op);
}

}  // namespace cooperative_groups

#pragma clang attribute pop
