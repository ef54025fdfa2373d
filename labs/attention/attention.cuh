// The contract of the attention lab: the two functions to implement. Read it, but do not change it.
#pragma once

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// No matrix of `softmax` has more rows or columns than this. An element's position may not fit into an int.
inline constexpr int kMaxExtent = 1 << 20;

/// `attention` has at most this many heads, and at most this many queries (and keys, and values) in each.
inline constexpr int kMaxHeads = 65535;
inline constexpr int kMaxLength = 65535;

/// Replaces each row of a matrix by its softmax:
///
///     y(r, c) = exp(x(r, c)) / (exp(x(r, 0)) + exp(x(r, 1)) + ... + exp(x(r, cols - 1)))
///
/// Both matrices are row-major and without padding. The elements of x are finite, but exp(x) need not be: subtract the
/// row's maximum m from each element, which changes nothing in exact arithmetic.
///
/// @param d_x   rows x cols floats in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_y   as many floats, with the same alignment. Its contents before the call are meaningless. It does not
///              overlap d_x.
/// @param rows  number of rows, in [0, kMaxExtent]. With 0 there is nothing to do.
/// @param cols  number of columns, in [0, kMaxExtent]. With 0 there is nothing to do.
///
/// y(r, c) may be off by (16 sqrt(cols) + 8 (m - x(r, c))) 2^-24 y(r, c) + 2^-125. For the numbers in the cases, sums
/// in any order, running maxima and __expf stay below that. The function may return before its kernels have finished.
/// The caller reports any CUDA error that it leaves pending.
void softmax(const float* d_x, float* d_y, int rows, int cols);

/// Attention, for each head: query i is compared with every key, and its result is an average of the values, in which
/// those count most whose keys fit best.
///
///     s(i, j)   = (q(i, 0) k(j, 0) + ... + q(i, d - 1) k(j, d - 1)) / sqrt(d)
///     p(i, j)   = exp(s(i, j)) / (exp(s(i, 0)) + ... + exp(s(i, n - 1)))
///     out(i, c) = p(i, 0) v(0, c) + ... + p(i, n - 1) v(n - 1, c)
///
/// @param d_q    heads x n x d floats in device memory: d_q[(head * n + i) * d + c]. Aligned to 256 bytes. Read-only.
/// @param d_k    keys, and
/// @param d_v    values, likewise.
/// @param d_out  as many floats, with the same alignment and order. Its contents before the call are meaningless. It
///               overlaps none of the others.
/// @param heads  number of heads, in [0, kMaxHeads]. With 0 there is nothing to do.
/// @param n      number of queries, of keys and of values of a head, in [0, kMaxLength]. With 0 there is nothing to do.
/// @param d      numbers in each of them: 32 or 64.
///
/// All numbers are finite, and so are the scores s. They may be large: exp(s) may overflow, or be 0 for every key.
///
/// q, k, v and the weights may be rounded to TF32, the tensor cores' format (10 fraction bits), before they are
/// multiplied; sums have to be kept in float. So out(i, c) may be off by (exp(e) - 1) W + 2^-100 V, where
///
///     e = (1.25 + 2.05 a) / 1024,   a = |q(i)| max over j of |k(j)| / sqrt(d)   (Euclidean lengths)
///     W = p(i, 0) |v(0, c)| + ... + p(i, n - 1) |v(n - 1, c)|,   V = the greatest absolute value of v in the head
///
/// This bound is what is judged, not the format: a result within it is right, however it was computed.
///
/// Scratch memory has to be allocated and freed by the function. It may return before its kernels have finished. The
/// caller reports any CUDA error that it leaves pending.
void attention(const float* d_q, const float* d_k, const float* d_v, float* d_out, int heads, int n, int d);
