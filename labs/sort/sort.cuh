// The contract of the lab sort: the two functions to implement. Read it; there is nothing to change in it.
#pragma once

#include <cstddef>
#include <cstdint>

/// No array has more keys than this, so a position in one of them fits an int.
inline constexpr std::size_t kMaxKeys = 2147483647;

/// Sorts unsigned keys by their digits: d_out holds the n keys of d_in in ascending order.
///
/// @param d_in   n keys in device memory, aligned to 256 bytes, as cudaMalloc gives it. Read only: afterwards it
///               must hold the same keys.
/// @param d_out  n keys, aligned likewise. What it holds before the call has no meaning. While the function is at work
///               it may hold anything.
/// @param n      number of keys, at most kMaxKeys; seldom a multiple of anything. 0 is allowed; the pointers may then
///               be null.
///
/// A key may be any value of its type: 0 and 0xFFFFFFFF are keys like others, and none is free to fill up a tile's end
/// unless you make sure that the true ones survive. The arrays do not overlap. Nothing outside d_out[0] ... d_out[n -
/// 1] may be written, nothing outside d_in[0] ... d_in[n - 1] read. Scratch memory is the function's own to allocate
/// and to free. The function may return before its kernels have finished. A CUDA error that is left behind is reported
/// by whoever called.
void radix_sort(const std::uint32_t* d_in, std::uint32_t* d_out, std::size_t n);

/// Sorts signed keys by merging: d_out holds the n keys of d_in in ascending order. -1 comes before 0.
///
/// Everything else as above. (Bare keys look alike, so the output does not show whether equal ones kept their order.
/// Keep it all the same: pairs of keys and values will want it.)
void merge_sort(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n);
