// The contract of the lab scan: the function to implement. Read it; there is nothing to change in it.
#pragma once

#include <cstddef>
#include <cstdint>

/// Sums up all that comes before, and the element itself: d_out[i] = d_in[0] + d_in[1] + ... + d_in[i] for every i in
/// [0, n). This is the inclusive scan, or prefix sum, of d_in.
///
/// Sums wrap around modulo 2^32, as those of std::uint32_t do: of each sum, its lowest 32 bits are what is asked for.
/// (Signed overflow has no meaning in C++. Add as std::uint32_t where a sum may leave the range of std::int32_t.)
///
/// @param d_in   n numbers in device memory, as cudaMalloc gave it: aligned to 256 bytes. Read only.
/// @param d_out  n numbers in device memory, aligned likewise. What it holds before the call has no meaning.
/// @param n      how many; 0 is allowed, and so is every n up to 2^32, which is more than 32 bits can count.
///
/// The arrays do not overlap. Nothing outside d_out[0] ... d_out[n - 1] may be written, nothing outside the arrays
/// read. Scratch memory is the function's own to allocate and to free. The function may return before its kernels have
/// finished; a CUDA error that is left behind is reported by whoever called. No two calls run at the same time.
void inclusive_scan(const std::int32_t* d_in, std::int32_t* d_out, std::size_t n);
