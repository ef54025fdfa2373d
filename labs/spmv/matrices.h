// The sparse matrices and vectors that the cases of the lab spmv are made of, and their products.
#pragma once

#include <cstdint>
#include <functional>
#include <variant>
#include <vector>

#include "harness/lab/lab.h"

namespace lanewise::labs::spmv_lab {

/// A problem's matrix and vector.
struct Inputs {
  const std::int32_t* row_offsets = nullptr;  ///< rows + 1
  const std::int32_t* columns = nullptr;      ///< nnz
  const float* values = nullptr;              ///< nnz
  const float* x = nullptr;                   ///< cols
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t nnz = 0;
};
Inputs inputs_of(const Problem& problem);

/// Makes the problem that a case's parameters describe.
///   kind = "lengths"      every row has `length` entries, `nnz` together (the last row has the rest); columns close to
///                         one another, beginning anywhere
///   kind = "all lengths"  the same `nnz` entries in rows of 1, 2, 4, ... up to `longest`, shuffled: every length has
///   as
///                         many entries
///   kind = "rows"         row i has as many entries as number i of the text `lengths` says: "0 31 32"
///   kind = "uniform"      `per_row` entries a row, columns anywhere
///   kind = "dense row"    the same, and one row in the middle that has all
///   kind = "gaps"         the same, but most rows are empty
///   kind = "banded"       `half_width` diagonals on both sides of the main one
///   kind = "poisson5", "poisson7", "poisson27"   Laplace's equation on a grid of n^2 or n^3 points
///   kind = "rmat"         the recursive matrices of graphs with few large and many small vertices
///   kind = "file"         the Matrix Market file `name`; entries without a value are 1
/// Those of the first three kinds have `cols` columns, those of the next three `rows` rows and `cols` columns.
/// Values and x are random in [-1, 1), the matrix's own where it has some; `integers = k` makes them whole numbers from
/// -k to k. With `zeros = k` all values of rows number 0, k, 2k, ... are 0: entries all the same. With `scaled = true`
/// each row's values are multiplied by a power of two of its own, from 2^-20 to 2^10. The same bytes for the same seed,
/// on however many threads they are made.
std::variant<Problem, MissingData> make(const Parameters& parameters, std::uint64_t seed);

/// An output "y" that nothing has been written to.
Array unwritten(const Problem& problem);

/// y = A x with sums in double, rounded once, on as many threads as the machine has.
Array product(const Problem& problem);

/// Calls work(first, end) for pieces of the rows [first, end), on several threads.
void for_each_piece(const Inputs& in, const std::function<void(std::int64_t first, std::int64_t end)>& work);

}  // namespace lanewise::labs::spmv_lab
