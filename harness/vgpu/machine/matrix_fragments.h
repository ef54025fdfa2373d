// Which lane of a warp holds which element of a matrix.
#pragma once

#include "harness/vgpu/machine/matrix_operation.h"

namespace vgpu {

/// For mma: PTX ISA 9.0, "Matrix Fragments for mma". For wmma, which leaves the layout to the hardware, as an H200 has
/// it (programs/tensor_fragments.expected): the same, for as many times 16 rows and 8 columns as the shape has; a
/// product of 8 rows and 32 columns is computed as its transpose.
Fragment fragment_of_a(const MatrixProduct& product);
Fragment fragment_of_b(const MatrixProduct& product);
Fragment fragment_of_sums(const MatrixProduct& product, MatrixType type);

/// Holds the registers several times over, until there are `registers`, as wmma does with elements of f16.
void repeat_registers(Fragment& fragment, std::uint32_t registers);

/// How a lane reads or writes its part of the fragment: as few accesses as there can be, of 16 bytes at most. Its lines
/// (see Fragment::element) lie in memory one after the other, or, if it goes down, across.
std::vector<FragmentAccess> accesses_of(const Fragment& fragment, bool goes_down);

/// ldmatrix: the register of each lane that gets its part of the matrix whose rows begin at row 8 * `matrix`. PTX ISA
/// 9.0, "Warp-level matrix load instruction: ldmatrix".
void spread_rows(const MatrixRows& rows, std::uint32_t matrix, bool is_transposed, std::uint32_t* lanes);

/// stmatrix: the reverse.
void collect_rows(const std::uint32_t* lanes, std::uint32_t matrix, bool is_transposed, MatrixRows& rows);

/// movmatrix: an 8 by 8 matrix and its transpose.
void transpose_rows(const std::uint32_t* from, std::uint32_t* to);

}  // namespace vgpu
