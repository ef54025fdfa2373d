// Rows that are never written, that keep what was there, or that get another row's sum.
#include <limits>

#include "labs/spmv/misconceptions.h"
#include "labs/spmv/outcome.h"

namespace lanewise::labs::spmv_lab {
namespace {

constexpr std::int64_t kRowsPerBlock[] = {256, 8, 128, 512, 1024, 32};  // the most likely first

bool is_empty(const Inputs& in, std::int64_t row) { return in.row_offsets[row] == in.row_offsets[row + 1]; }

// y[columns[j]] += values[j] * x[row]: the product with the transposed matrix, as far as y has such elements. Where x
// lacks one, there is no telling.
std::vector<Array> transposed(const Problem& problem) {
  const Inputs in = inputs_of(problem);
  std::vector<double> sums(static_cast<std::size_t>(in.rows));
  for (std::int64_t row = 0; row < in.rows; ++row)
    for (std::int64_t j = in.row_offsets[row]; j < in.row_offsets[row + 1]; ++j) {
      if (in.columns[j] >= in.rows) continue;
      if (row >= in.cols) return {};
      sums[static_cast<std::size_t>(in.columns[j])] += static_cast<double>(in.values[j]) * in.x[row];
    }
  Array result = make_array<float>("y", {in.rows});
  for (std::int64_t row = 0; row < in.rows; ++row)
    elements<float>(result)[row] = static_cast<float>(sums[static_cast<std::size_t>(row)]);
  return {std::move(result)};
}

// The poison is a small number: only where the sum is 0 does it show, in an empty row or one whose products are all 0.
std::vector<Array> added_to_what_was_there(const Problem& problem) {
  std::vector<Array> result = {product(problem)};
  const Array before = unwritten(problem);
  const std::int64_t rows = integer_scalar(problem, "rows");
  for (std::int64_t row = 0; row < rows; ++row) elements<float>(result[0])[row] += elements<float>(before)[row];
  return result;
}

}  // namespace

std::vector<Misconception> row_mistakes() {
  std::vector<Misconception> list;
  list.push_back({"empty rows never written",
                  "Rows without entries were left unchanged. Their sum is 0, which must be stored, even if the whole "
                  "matrix has no entries.",
                  partly([](const Inputs& in, std::int64_t row) { return !is_empty(in, row); })});
  list.push_back({"added to the old y",
                  "Rows whose sum is 0 are left with what y held before the call, which is meaningless. Either the sum "
                  "was added to it (start every sum at 0 and store it; if several threads add to one y[i], clear it "
                  "first), or a sum of 0 was not stored.",
                  &added_to_what_was_there,
                  {"initcheck"}});
  list.push_back({"last row left out",
                  "Every row is right except the last one, which was never written. There are rows + 1 offsets and "
                  "`rows` rows: row rows - 1 is the last.",
                  partly([](const Inputs& in, std::int64_t row) { return row < in.rows - 1; })});
  for (const std::int64_t block : kRowsPerBlock)
    list.push_back({"last partial block of rows skipped",
                    "The rows after the last full block were never written: the number of blocks was rounded down. "
                    "Round it up, and let threads without a row do nothing.",
                    partly([block](const Inputs& in, std::int64_t row) { return row < in.rows / block * block; })});
  for (const std::int64_t block : kRowsPerBlock)
    list.push_back({"only the first block of rows written",
                    "Only as many rows as one block handles were written. Either the grid has a single block, or every "
                    "block works on the same rows.",
                    partly([block](const Inputs&, std::int64_t row) { return row < block; }),
                    {"racecheck"}});
  list.push_back({"transposed",
                  "This is the product with the transposed matrix: products were added to y at the entry's column, "
                  "with x taken at its row. It is the other way round: x at the column, y at the row.",
                  &transposed,
                  {"memcheck", "racecheck", "initcheck"}});
  return list;
}

}  // namespace lanewise::labs::spmv_lab
