// The contract of the scan lab: the function to implement. Read it, but do not change it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// Sums up each element and all elements before it: d_out[i] = d_in[0] + d_in[1] + ... + d_in[i] for every i in [0, n).
/// This is the inclusive scan, or prefix sum, of d_in.
///
/// Sums wrap around modulo 2^32, as those of std::uint32_t do: what is required of each sum is its lowest 32 bits.
/// (Signed overflow is undefined in C++. Add as std::uint32_t where a sum may leave the range of std::int32_t.)
///
/// @param d_in   n numbers in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_out  n numbers in device memory, with the same alignment. Its contents before the call are meaningless.
/// @param n      how many; 0 is allowed, and so is every n up to 2^32, which is more than 32 bits can count.
///
/// The arrays do not overlap. Write nothing outside d_out[0] ... d_out[n - 1], and read nothing outside the arrays. The
/// function must allocate and free any scratch memory itself. It may return before its kernels have finished. The
/// caller reports any CUDA error that the function leaves pending. No two calls run at the same time.
void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n);
