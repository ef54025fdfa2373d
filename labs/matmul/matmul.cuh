// The contract of the lab matmul: the function to implement. Read it; there is nothing to change in it.
#pragma once

/// No matrix has more rows or columns than this. Positions can be larger than an int can count (65,535 x 65,535 is more
/// than 2^32 elements): work them out as std::size_t.
inline constexpr int kMaxExtent = 65535;

/// Multiplies two matrices: C = A B, that is
///
///     C(row, col) = A(row, 0) B(0, col) + A(row, 1) B(1, col) + ... + A(row, k - 1) B(k - 1, col)
///
/// All three are row-major and without padding: element (row, col) of a matrix is the (row * columns + col)-th.
///
/// @param d_a  m rows of k floats in device memory, as cudaMalloc gave it: aligned to 256 bytes. Read only.
/// @param d_b  k rows of n floats in device memory, aligned likewise. Read only.
/// @param d_c  m rows of n floats in device memory, aligned likewise. What it holds before the call has no meaning.
/// @param m    rows of A and of C.
/// @param n    columns of B and of C.
/// @param k    columns of A and rows of B: how many products each element of C is the sum of.
///
/// Each of m, n and k lies in [0, kMaxExtent]. With m = 0 or n = 0 there is nothing to do. With k = 0 a sum has no
/// products, and every element of C is 0.
///
/// The matrices do not overlap. Nothing outside them may be read or written. Only the first row of a matrix is sure to
/// begin at an aligned address: row 1 of A begins k floats further on.
///
/// A(row, .) and B(., col) decide how exact C(row, col) must be: with S the sum of the products' absolute values, the
/// error may be 16 sqrt(k) 2^-24 S. A float sum of the numbers that the cases are made of is better than that in
/// any order; products of numbers that were rounded to half precision, or to TF32 for the tensor cores, are not. The
/// function may return before its kernel has finished; a CUDA error that is left behind is reported by whoever called.
void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k);
