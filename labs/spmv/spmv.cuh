// The contract of the lab spmv: the function to implement. Read it; there is nothing to change in it.
#pragma once

#include <cstdint>

/// Multiplies a sparse matrix by a vector: y = A x. A has `rows` rows and `cols` columns, of which only `nnz` entries
/// are stored, row after row (compressed sparse rows, CSR). The entries of row i are those with the numbers
///
///     d_row_offsets[i], d_row_offsets[i] + 1, ..., d_row_offsets[i + 1] - 1
///
/// and entry number j stands in column d_columns[j] and has the value d_values[j]. So
///
///     y[i] = sum of d_values[j] * d_x[d_columns[j]]  over the entries j of row i
///
/// Every y[i] is written, y[i] = 0 where row i has no entry. Sums are formed in float, in any order: two orders differ
/// in their last bits, and both are right.
///
/// @param d_row_offsets  rows + 1 numbers in device memory, never descending: the first is 0, the last is nnz. Where
///                       two neighbours are equal, the row is empty. Read only.
/// @param d_columns      nnz numbers from 0 to cols - 1, ascending within each row, none twice in a row. Read only.
/// @param d_values       nnz floats. Read only. A stored value may be 0.
/// @param d_x            cols floats. Read only.
/// @param d_y            rows floats. What it holds before the call has no meaning.
/// @param rows           0 is allowed. The matrix may be of any shape: one row and many columns, many rows and one
///                       column.
/// @param cols           at least 1 where nnz is at least 1.
/// @param nnz            number of stored entries; 0 is allowed. At most 2^31 - 1; the sum of rows and nnz may not fit
///                       an int.
///
/// Arrays are aligned to 256 bytes, as cudaMalloc gives them, and do not overlap. (A row begins anywhere, at no
/// multiple of anything.) Nothing outside d_y[0] ... d_y[rows - 1] may be written, nothing outside the arrays read; the
/// pointer to an array without elements may be null. Scratch memory is the function's own to allocate and to free;
/// nothing may be kept from one call for the next. The function may return before its kernels have finished. A CUDA
/// error that is left behind is reported by whoever called.
void spmv_csr(const std::int32_t* d_row_offsets, const std::int32_t* d_columns, const float* d_values, const float* d_x,
              float* d_y, int rows, int cols, int nnz);
