// The contract of the radix sort lab: the function to implement. Read it, but do not change it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// No array has more keys than this, so a position in an array fits into an int.
inline constexpr std::size_t kMaxKeys = 2147483647;

/// Sorts unsigned keys by their digits, without comparing keys: d_out holds the n keys of d_in in ascending order.
///
/// @param d_in   n keys in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only: after the call
///               it must hold the same keys.
/// @param d_out  n keys, with the same alignment. Its contents before the call are meaningless. While the function is
///               running, it may hold anything.
/// @param n      number of keys, at most kMaxKeys; seldom a multiple of anything. 0 is allowed; the pointers may then
///               be null.
///
/// A key may be any value of its type: 0 and 0xFFFFFFFF are keys like any others, and no value can be used as padding
/// unless you make sure that real keys of that value survive. The arrays do not overlap. Write nothing outside
/// d_out[0] ... d_out[n - 1], and read nothing outside d_in[0] ... d_in[n - 1]. The function must allocate and free any
/// scratch memory itself. It may return before its kernels have finished. The caller reports any CUDA error that the
/// function leaves pending.
void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n);
