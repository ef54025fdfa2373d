// The contract of the vecadd lab: the two functions to implement. Read it, but do not change it.
#pragma once

#include <cstddef>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// Adds two vectors in host memory: c_h[i] = a_h[i] + b_h[i] for every i in [0, n).
///
/// The function does it all: allocate device memory, copy both inputs to the device, launch a kernel, copy the result
/// back, free the device memory. When it returns, c_h holds the sums, and all memory that it allocated has been freed.
///
/// @param a_h, b_h  n floats each, in pinned host memory: copies run at the bus's full rate, and asynchronous ones do
///                  not wait. Do not pass these pointers to a kernel. Read-only.
/// @param c_h       n floats in pinned host memory. Its contents before the call are meaningless.
/// @param n         number of elements, n >= 0. With n == 0 there is nothing to do; the pointers may then be null.
///
/// The three arrays do not overlap. Each sum must be within 1 unit in the last place of the exact one (a plain float
/// addition is). The caller reports any CUDA error that the function leaves pending.
void vec_add(const float* a_h, const float* b_h, float* c_h, int n);

/// Adds two vectors that are already in device memory: d_c[i] = d_a[i] + d_b[i] for every i in [0, n).
///
/// Only the kernel and its launch are left to do. The function may return before the kernel has finished.
///
/// @param d_a, d_b  n floats each, in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_c       n floats in device memory, with the same alignment. Its contents before the call are meaningless.
/// @param n         number of elements; 0 is allowed, and so are values too large for an int.
///
/// The three arrays do not overlap. Write nothing outside d_c[0] ... d_c[n - 1], and read nothing outside the arrays.
/// Each sum must be within 1 unit in the last place of the exact one.
void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n);
