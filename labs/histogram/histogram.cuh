// The contract of the histogram lab: the two functions to implement. Read it, but do not change it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// One bin for each value of a byte.
inline constexpr int kByteBins = 256;

/// No histogram of histogram_wide has more bins than this.
inline constexpr int kMostBins = 1 << 21;

/// No histogram counts more elements than this, so that every count fits into 32 bits.
inline constexpr std::size_t kMostElements = 0xFFFFFFFF;

/// Counts how often each byte occurs: d_bins[v] is the number of elements of d_data that are equal to v.
///
/// @param d_data  n bytes in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only. Bytes are
///                unsigned, 0 ... 255; all 256 values may occur.
/// @param n       number of elements, at most kMostElements; seldom a multiple of anything. With n == 0 there is
///                nothing to count, and every bin must become 0. d_data may then be null.
/// @param d_bins  kByteBins counts in device memory, with the same alignment. Their contents before the call are
///                meaningless: they do NOT arrive as zeros, and this function must set every one of them.
///
/// The arrays do not overlap. Read and write nothing outside them. Counts must be exact. The function must allocate and
/// free any scratch memory itself. It may return before its kernels have finished. The caller reports any CUDA error
/// that the function leaves pending.
void histogram_bytes(const std::uint8_t* d_data, std::size_t n, std::uint32_t* d_bins);

/// Counts how often each value occurs, for values that may be large: d_bins[v] is the number of elements of d_data that
/// are equal to v, for every v in [0, num_bins).
///
/// @param d_data    n values in device memory, aligned to 256 bytes. Read-only. Every value is less than num_bins: this
///                  is guaranteed and need not be tested.
/// @param n         number of elements, at most kMostElements. With n == 0 every bin must become 0.
/// @param d_bins    num_bins counts in device memory, with the same alignment. They do NOT arrive as zeros.
/// @param num_bins  number of bins, 1 ... kMostBins; not always a power of two. On the device that this lab is graded
///                  for, a block's shared memory holds at most 58,112 counts, so there may be many more bins than that.
///
/// Everything else is as above.
void histogram_wide(const std::uint32_t* d_data, std::size_t n, std::uint32_t* d_bins, int num_bins);
