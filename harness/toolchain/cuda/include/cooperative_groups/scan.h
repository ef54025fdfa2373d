// What the threads of a group up to each have come to: CUDA C++ Programming Guide, "Collective Operations".
#pragma once

#include "reduce.h"

// Instructions count for the line that calls for them.
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))

namespace cooperative_groups {

template <class Group, class T, class Op>
__device__ inline T inclusive_scan(const Group& group, T value, Op op) {
  const unsigned int rank = group.thread_rank();
  for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(value, distance);
    if (rank >= distance) value = op(before, value);
  }
  return value;
}
template <class Group, class T>
__device__ inline T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

/// The first thread gets T().
template <class Group, class T, class Op>
__device__ inline T exclusive_scan(const Group& group, T value, Op op) {
  const T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
__device__ inline T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups

#pragma clang attribute pop
