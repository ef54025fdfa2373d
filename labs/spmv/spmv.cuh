// The contract of the spmv lab: the function to implement. Read it, but do not change it.
#pragma once

#include <cstdint>

#include "../cuda_host.cuh"  // CHECK, and scratch memory

/// Multiplies a sparse matrix by a vector: y = A x. A has `rows` rows and `cols` columns, of which only `nnz` entries
/// are stored, row after row (compressed sparse rows, CSR). The entries of row i are those with the indices
///
///     d_row_offsets[i], d_row_offsets[i] + 1, ..., d_row_offsets[i + 1] - 1
///
/// and entry j is in column d_columns[j] and has the value d_values[j]. So
///
///     y[i] = sum of d_values[j] * d_x[d_columns[j]]  over the entries j of row i
///
/// Every y[i] must be written, with 0 if row i has no entry. Sums are formed in float, in any order: the results of two
/// orders may differ in their last bits, and both are right.
///
/// @param d_row_offsets  rows + 1 numbers in device memory. The first is 0, the last is nnz, and none is less than the
///                       one before. Where two neighbours are equal, the row is empty. Read-only.
/// @param d_columns      nnz numbers from 0 to cols - 1, ascending within each row, without duplicates. Read-only.
/// @param d_values       nnz floats. Read-only. A stored value may be 0.
/// @param d_x            cols floats. Read-only.
/// @param d_y            rows floats. Its contents before the call are meaningless.
/// @param rows           0 is allowed. The matrix may have any shape, such as one row and many columns, or many rows
///                       and one column.
/// @param cols           at least 1 if nnz is at least 1.
/// @param nnz            number of stored entries; 0 is allowed. At most 2^31 - 1; the sum of rows and nnz may be too
///                       large for an int.
///
/// Arrays are aligned to 256 bytes, as memory from cudaMalloc is, and do not overlap. (A row may begin anywhere, at any
/// alignment.) Read nothing outside the arrays, and write nothing outside d_y[0] ... d_y[rows - 1]; the pointer to an
/// array without elements may be null. The function must allocate and free any scratch memory itself; nothing may be
/// kept from one call to the next. It may return before its kernels have finished. The caller reports any CUDA error
/// that the function leaves pending.
void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz);
