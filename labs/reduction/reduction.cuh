// The contract of the reduction lab: the two functions to implement. Read it, but do not change it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// No array has more elements than this: an index fits into an unsigned 32-bit number. The count itself may not, and
/// neither an index nor the count fits into an int.
inline constexpr std::size_t kMaxElements = std::size_t{1} << 32;

/// Adds up all elements of an array: d_sum[0] = d_x[0] + d_x[1] + ... + d_x[n - 1]. Of no elements, the sum is 0.
///
/// The additions may be done in any order, and every order rounds differently. A result is right if it is no farther
/// from the exact sum than some order of additions of floats can be. If none of these rounds, it has to be exact.
///
/// @param d_x    n floats in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only. The sum of
///               their absolute values does not overflow.
/// @param n      number of elements, at most kMaxElements; 0 is allowed, and d_x may then be null.
/// @param d_sum  one float in device memory. Its contents before the call are meaningless: it is not zero.
///
/// Write nothing outside d_sum[0], and read nothing outside the array. The function must allocate and free any scratch
/// memory itself; __device__ variables are allowed. It may return before its kernels have finished. The caller reports
/// any CUDA error that the function leaves pending. No two calls run at the same time.
void sum(const float* d_x, std::size_t n, float* d_sum);

/// Finds the greatest element of an array: d_index[0] is its index. If several elements are equally great, it is the
/// index of the first of them. Without elements, it is -1.
///
/// @param d_x      n integers in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only. An
///                 element may be any value of its type, including the least one.
/// @param n        number of elements, at most kMaxElements; 0 is allowed, and d_x may then be null.
/// @param d_index  one 64-bit integer in device memory. Its contents before the call are meaningless.
///
/// Write nothing outside d_index[0], and read nothing outside the array. What `sum` may do otherwise, so may this one.
void arg_max(const std::int32_t* d_x, std::size_t n, std::int64_t* d_index);
