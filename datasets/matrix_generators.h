// Generated sparse matrices: the same for the same seed on every machine. Columns ascend within a row, without
// repetition. Values are in [-1, 1) and depend only on seed, row and column, unless stated otherwise.
#pragma once

#include <cstdint>

#include "datasets/csr.h"

namespace lanewise {

/// The Laplace operator on a grid of n x n points, numbered row by row: 4 on the diagonal, -1 for each of up to four
/// neighbours.
Csr poisson5(std::int64_t n);
/// On n x n x n points: 6 on the diagonal, -1 for each of up to six neighbours.
Csr poisson7(std::int64_t n);
/// On n x n x n points: 26 on the diagonal, -1 for each of up to 26 neighbours, including those across edges and
/// corners.
Csr poisson27(std::int64_t n);

/// All places whose row and column differ by at most half_width.
Csr banded_matrix(std::int64_t rows, std::int64_t half_width, std::uint64_t seed);

/// per_row entries at random places of every row; per_row is at most `cols`.
Csr uniform_rows_matrix(std::int64_t rows, std::int64_t cols, std::int64_t per_row, std::uint64_t seed);

/// The same, but row rows / 2 is full.
Csr dense_row_matrix(std::int64_t rows, std::int64_t cols, std::int64_t per_row, std::uint64_t seed);

/// About seven in eight rows are empty: three in four blocks of 64 rows, half of the rows in the others, and the first
/// and the last row. The others have 1 to 2 * per_row entries (no more than there are columns). With three rows or
/// more, the middle one, rows / 2, is not empty.
Csr gaps_matrix(std::int64_t rows, std::int64_t cols, std::int64_t per_row, std::uint64_t seed);

/// A square matrix of 2^scale rows (scale 0 to 30) whose rows and columns are skewed like rmat_graph's, not symmetric;
/// edge_factor * 2^scale places are drawn, without repetitions.
Csr rmat_matrix(int scale, int edge_factor, std::uint64_t seed);

}  // namespace lanewise
