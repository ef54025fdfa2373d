// The contract of the matmul lab: the function to implement. Read it, but do not change it.
#pragma once

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// No matrix has more rows or columns than this. Positions in a matrix can be too large for an int (65,535 x 65,535 is
/// nearly 2^32): compute them as std::size_t.
inline constexpr int kMaxExtent = 65535;

/// Multiplies two matrices, C = A B:
///
///     C(row, col) = A(row, 0) B(0, col) + A(row, 1) B(1, col) + ... + A(row, k - 1) B(k - 1, col)
///
/// All three are row-major and without padding: element (row, col) of a matrix is at index row * columns + col.
///
/// @param d_a  m rows of k floats in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_b  k rows of n floats in device memory, with the same alignment. Read-only.
/// @param d_c  m rows of n floats in device memory, with the same alignment. Its contents before the call are
///             meaningless.
/// @param m    rows of A and of C.
/// @param n    columns of B and of C.
/// @param k    columns of A and rows of B: the number of products in each element's sum.
///
/// Each of m, n and k is in [0, kMaxExtent]. With m = 0 or n = 0 there is nothing to do. With k = 0 a sum has no
/// products, and every element of C is 0.
///
/// The matrices do not overlap. Read and write nothing outside them. Only the first row of a matrix is certain to begin
/// at an aligned address: row 1 of A begins k floats after row 0.
///
/// A(row, .) and B(., col) determine how exact C(row, col) must be: the error may be at most 16 sqrt(k) 2^-24 S, where
/// S is the sum of the absolute values of the products. For the numbers in the cases, a float sum in any order is more
/// accurate than that; products of numbers that were rounded to half precision, or to TF32 for the tensor cores, are
/// not. The function may return before its kernel has finished. The caller reports any CUDA error that the function
/// leaves pending.
void matmul(const float* d_a, const float* d_b, float* d_c, int m, int n, int k);
