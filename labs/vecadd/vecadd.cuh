// The contract of the lab vecadd: the two functions to implement. Read it; there is nothing to change in it.
#pragma once

#include <cstddef>

/// Adds two vectors that lie in the memory of the host: c_h[i] = a_h[i] + b_h[i] for every i in [0, n).
///
/// The whole way is this function's own: allocate device memory, copy both inputs to the device, launch a kernel, copy
/// the result back, free the device memory. When it returns, c_h holds the sums and nothing it allocated is left.
///
/// @param a_h, b_h  n floats each, in ordinary host memory. A kernel must not be given these pointers. Read only.
/// @param c_h       n floats in host memory. What it holds before the call has no meaning.
/// @param n         number of elements, n >= 0. With n == 0 there is nothing to do; the pointers may then be null.
///
/// The three arrays do not overlap. Each sum must be within 1 unit in the last place of the exact one (a plain float
/// addition is). A CUDA error that is left behind is reported by whoever called.
void vec_add(const float* a_h, const float* b_h, float* c_h, int n);

/// Adds two vectors that already lie in device memory: d_c[i] = d_a[i] + d_b[i] for every i in [0, n).
///
/// Only the kernel and its launch are left to do. The function may return before the kernel has finished.
///
/// @param d_a, d_b  n floats each, in device memory, as cudaMalloc gave it: aligned to 256 bytes. Read only.
/// @param d_c       n floats in device memory, aligned likewise. What it holds before the call has no meaning.
/// @param n         number of elements; 0 is allowed, and so is more than an int can count.
///
/// The three arrays do not overlap. Nothing outside d_c[0] ... d_c[n - 1] may be written, nothing outside the arrays
/// read. Each sum must be within 1 unit in the last place of the exact one.
void vec_add_device(const float* d_a, const float* d_b, float* d_c, std::size_t n);
