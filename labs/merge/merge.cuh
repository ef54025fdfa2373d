// The contract of the lab merge: the function to implement. Read it; there is nothing to change in it.
#pragma once

#include <cstddef>
#include <cstdint>

/// Neither of the two arrays has more elements than this, so a position in one of them fits an int. Their sum does
/// not: count outputs with std::size_t.
inline constexpr std::size_t kMaxElements = 2147483647;

/// Merges two sorted arrays: d_out holds all m + n elements of A and B, in ascending order.
///
/// Where keys are equal, those of A come before those of B, and the elements of each array keep their order. A merge
/// with this property is called stable. Bare keys look alike, so the output does not show which of two equal keys
/// stands where. The rule matters all the same: it gives every element one place and only one. Leave it open and two
/// elements may claim the same place, while another place stays empty.
///
/// @param d_a    m keys in ascending order, in device memory, aligned to 256 bytes, as cudaMalloc gives it. Read only.
/// @param m      number of keys in A, at most kMaxElements; 0 is allowed.
/// @param d_b    n keys in ascending order, aligned likewise. Read only.
/// @param n      number of keys in B, at most kMaxElements; 0 is allowed.
/// @param d_out  m + n keys, aligned likewise. What it holds before the call has no meaning.
///
/// A key may be any value of its type, the least and the greatest included: none is free to mark an end. The arrays do
/// not overlap. Nothing outside d_out[0] ... d_out[m + n - 1] may be written, nothing outside the arrays read; the
/// pointer to an array without elements may be null. Scratch memory is the function's own to allocate and to free. The
/// function may return before its kernels have finished. A CUDA error that is left behind is reported by whoever
/// called.
void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out);
