// The contract of the lab histogram: the two functions to implement. Read it; there is nothing to change in it.
#pragma once

#include <cstddef>
#include <cstdint>

/// One bin for each value of a byte.
inline constexpr int kByteBins = 256;

/// No histogram of histogram_wide has more bins than this.
inline constexpr int kMostBins = 1 << 21;

/// No histogram counts more elements than this, so that every count fits into 32 bits.
inline constexpr std::size_t kMostElements = 0xFFFFFFFF;

/// Counts how often each byte occurs: d_bins[v] is the number of elements of d_data that are equal to v.
///
/// @param d_data  n bytes in device memory, as cudaMalloc gave it: aligned to 256 bytes. Read only. Bytes are unsigned,
///                0 ... 255; all 256 may occur.
/// @param n       number of elements, at most kMostElements; seldom a multiple of anything. With n == 0 there is
///                nothing to count, and every bin must become 0. d_data may then be null.
/// @param d_bins  kByteBins counts in device memory, aligned likewise. What they hold before the call has no meaning:
///                they do NOT arrive as zeros, and this function must set every one of them.
///
/// The arrays do not overlap. Nothing outside them may be read or written. Counts must be exact. Scratch memory is the
/// function's own to allocate and to free. The function may return before its kernels have finished; a CUDA error that
/// is left behind is reported by whoever called.
void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins);

/// Counts how often each value occurs, for values that may be large: d_bins[v] is the number of elements of d_data that
/// are equal to v, for every v in [0, num_bins).
///
/// @param d_data    n values in device memory, aligned to 256 bytes. Read only. Every value is less than num_bins: this
///                  is promised and need not be tested.
/// @param n         number of elements, at most kMostElements. With n == 0 every bin must become 0.
/// @param d_bins    num_bins counts in device memory, aligned likewise. They do NOT arrive as zeros.
/// @param num_bins  number of bins, 1 ... kMostBins; not always a power of two. A block's shared memory holds 58,112
///                  counts at most on the device that this lab is graded for, so there may be many more bins than that.
///
/// Everything else as above.
void histogram_wide(const std::uint32_t* d_data, std::size_t n, std::uint32_t* d_bins, int num_bins);
