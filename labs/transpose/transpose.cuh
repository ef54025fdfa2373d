// The contract of the transpose lab: the function to implement. Read it, but do not change it.
#pragma once

#include <cstddef>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// Neither extent is larger than this, so a grid with one block for every eight rows or more has no more than the
/// 65,535 blocks that are allowed along y. The number of elements may exceed 2^31: make indices std::size_t.
inline constexpr int kMaxExtent = 500'000;

/// Transposes a matrix: element (r, c) of the input becomes element (c, r) of the output,
///
///     out[c * rows + r] = in[r * cols + c].
///
/// Both matrices are row-major, without gaps between rows: the input has `rows` rows of `cols` elements, the output has
/// `cols` rows of `rows` elements. Every element keeps its bits, whatever they mean as a number.
///
/// @param d_in   rows * cols floats in device memory, aligned to 256 bytes, as memory from cudaMalloc is. Read-only.
/// @param d_out  rows * cols floats, with the same alignment. Its contents before the call are meaningless.
/// @param rows   rows of the input and columns of the output, 0 ... kMaxExtent.
/// @param cols   columns of the input and rows of the output, 0 ... kMaxExtent.
///
/// The arrays do not overlap. Write nothing outside d_out[0] ... d_out[rows * cols - 1], and read nothing outside the
/// input; if there are no elements, the pointers may be null. The function must allocate and free any scratch memory
/// itself. It may return before its kernels have finished. The caller reports any CUDA error that the function leaves
/// pending.
void transpose(const float* d_in, float* d_out, int rows, int cols);
