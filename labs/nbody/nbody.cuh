// The contract of the nbody lab: the function to implement. Read it, but do not change it.
#pragma once

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// There are never more bodies than this.
inline constexpr int kMaxBodies = 1 << 20;

/// Computes the acceleration of some bodies, or of all, by the gravity of all bodies:
///
///     r2(i, j) = dx^2 + dy^2 + dz^2 + softening^2,   where dx = x(j) - x(i), and dy and dz likewise
///     a(i)     = the sum over all n bodies j of  mass(j) (dx, dy, dz) / r2(i, j)^(3/2)
///
/// The gravitational constant is 1. A body does not attract itself: with j = i, dx, dy and dz are 0, and so is the
/// term. (Because of the softening it is 0 divided by a positive number: it may be added like any other.)
///
/// @param d_bodies        n bodies of four floats in device memory: x, y, z and mass. The mass of body i is
///                        d_bodies[4 * i + 3]. Aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_acceleration  count times three floats, with the same alignment: the x, y and z components of a(first + k)
///                        are at 3 * k, 3 * k + 1 and 3 * k + 2. Its contents before the call are meaningless. It does
///                        not overlap d_bodies.
/// @param n               number of bodies, in [0, kMaxBodies].
/// @param first           the first body whose acceleration is wanted, and
/// @param count           how many are: bodies first to first + count - 1, all of which exist. With count = 0 there is
///                        nothing to do. (With first = 0 and count = n it is all of them. Several GPUs share the work
///                        by a part for each.)
/// @param softening       in [2^-10, 2^10].
///
/// Coordinates lie in [-2048, 2048], masses in [0, 2^20]. Bodies may be at the same place.
///
/// Each component may be off by (32 + min(n, 16 sqrt(n))) 2^-24 S, where S is the sum of the absolute values of its n
/// terms. For bodies as in the cases, sums in any order stay below that, and so do terms that are computed with rsqrtf,
/// with 1 / sqrtf or with powf; numbers that were rounded to half precision do not. Scratch memory has to be allocated
/// and freed by the function. It may return before its kernels have finished. The caller reports any CUDA error that it
/// leaves pending.
void accelerations(const float* d_bodies, float* d_acceleration, int n, int first, int count, float softening);
