// The contract of the overlap lab: the two functions to implement. Read it, but do not change it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// Constants of a round; see stretch.
inline constexpr std::uint32_t kFactor = 0x9E3779B1u;
inline constexpr std::uint32_t kTerm = 0x7F4A7C15u;

/// Stretches n keys in host memory: digests_h[i] is keys_h[i] after `rounds` rounds, for every i in [0, n). A round is
///
///     x = (x ^ (x >> 15)) * kFactor + kTerm;
///     x = x ^ (x >> 13);
///
/// in 32 bits without a sign, so that every result is exact. A round cannot be begun before the one before it is over,
/// but keys do not depend on each other.
///
/// The function does it all: allocate device memory, copy keys to the device, launch kernels, copy digests back, free
/// what it has allocated and destroy what it has created. When it returns, all digests are in digests_h.
///
/// @param keys_h     n keys in pinned host memory: copies run at the bus's full rate, and asynchronous ones do not
///                   wait. Do not pass this pointer to a kernel. Read-only.
/// @param digests_h  n digests in pinned host memory, likewise. Its contents before the call are meaningless.
/// @param n          number of keys; with n == 0 there is nothing to do, and the pointers may then be null.
/// @param rounds     0 to 10,000. With none, digests are the keys.
///
/// The two arrays do not overlap. Rounds are to be computed on the device: a kernel's threads do all of them. The
/// caller reports any CUDA error that the function leaves pending.
void stretch(const std::uint32_t* keys_h, std::uint32_t* digests_h, std::size_t n, int rounds);

/// Lets a ring of n cells in device memory evolve: `steps` times, every cell changes by what its two neighbours hold,
///
///     new(i) = (old(i - 1) ^ (old(i) >> 3)) + 5 * old(i + 1)      in 32 bits without a sign,
///
/// all cells at once, from the old values. Cell n - 1 is the left neighbour of cell 0, and cell 0 the right neighbour
/// of cell n - 1.
///
/// @param d_start  n cells in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_end    n cells in device memory, with the same alignment: the ring after all steps. Its contents before the
///                 call are meaningless.
/// @param n        0 to 1,048,576 cells. Without cells there is nothing to do.
/// @param steps    0 to 100,000. With none, d_end is a copy of d_start.
///
/// The arrays do not overlap. Write nothing outside d_end, and read nothing outside the two. The function may allocate
/// memory, and frees what it has allocated; it may return before its kernels have finished, and be called again for
/// other arrays. d_start is ready when it is called, and the caller waits for the device before it reads d_end. The
/// caller reports any CUDA error that the function leaves pending.
void evolve(const std::uint32_t* d_start, std::uint32_t* d_end, int n, int steps);
