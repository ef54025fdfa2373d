// The contract of the merge lab: the function to implement. Read it, but do not change it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// Neither of the two arrays has more elements than this, so a position in one of them fits into an int. A position in
/// the output may not: count outputs with std::size_t.
inline constexpr std::size_t kMaxElements = 2147483647;

/// Merges two sorted arrays: d_out holds all m + n elements of A and B, in ascending order.
///
/// Where keys are equal, those of A come before those of B, and the elements of each array keep their order. A merge
/// with this property is called stable. Bare keys look alike, so the output does not show which of two equal keys comes
/// first. The rule matters all the same: it gives every element one place and only one. Without it, two elements may
/// claim the same place, while another place stays empty.
///
/// @param d_a    m keys in ascending order, in device memory, aligned to 256 bytes, as memory from cudaMalloc is.
///               Read-only.
/// @param m      number of keys in A, at most kMaxElements; 0 is allowed.
/// @param d_b    n keys in ascending order, with the same alignment. Read-only.
/// @param n      number of keys in B, at most kMaxElements; 0 is allowed.
/// @param d_out  m + n keys, with the same alignment. Its contents before the call are meaningless.
///
/// A key may be any value of its type, including the least and the greatest: none is free to mark an end. The arrays do
/// not overlap. Write nothing outside d_out[0] ... d_out[m + n - 1], and read nothing outside the arrays; the pointer
/// to an array without elements may be null. The function must allocate and free any scratch memory itself. It may
/// return before its kernels have finished. The caller reports any CUDA error that the function leaves pending.
void merge_sorted(const std::int32_t* d_a, std::size_t m, const std::int32_t* d_b, std::size_t n, std::int32_t* d_out);
