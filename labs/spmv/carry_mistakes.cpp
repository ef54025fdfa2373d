// Rows that lie across the borders of pieces of the merge path, and lose a part there.
#include <algorithm>

#include "labs/spmv/misconceptions.h"
#include "labs/spmv/outcome.h"

namespace lanewise::labs::spmv_lab {
namespace {

constexpr std::int64_t kTiles[] = {1792, 7, 2048, 8, 3840, 1024};  // row ends and entries a piece, the likely first

// The path through row ends and entries: row i's first entry is step number row_offsets[i] + i, and every entry of row
// i is a step `i` further than its own number, since i row ends come before it.
std::int64_t step_of(std::int64_t row, std::int64_t j) { return row + j; }

// Entry number `first` or later that is the first one of the piece in which the row ends.
std::int64_t first_in_last_piece(const Inputs& in, std::int64_t row, std::int64_t tile) {
  const std::int64_t end_of_row = step_of(row, in.row_offsets[row + 1]);  // the step that is the row's end
  return std::max<std::int64_t>(in.row_offsets[row], end_of_row / tile * tile - row);
}

Outcome without_carries(std::int64_t tile) {
  return by_rows([tile](const Inputs& in, std::int64_t row) {
    return sum_of(first_in_last_piece(in, row, tile), in.row_offsets[row + 1],
                  [&](std::int64_t j) { return product_of(in, j); });
  });
}

// The piece in which the row ends, and the one before it.
Outcome with_the_last_carry(std::int64_t tile) {
  return by_rows([tile](const Inputs& in, std::int64_t row) {
    const std::int64_t border = first_in_last_piece(in, row, tile);
    return sum_of(std::max<std::int64_t>(in.row_offsets[row], border - tile), in.row_offsets[row + 1],
                  [&](std::int64_t j) { return product_of(in, j); });
  });
}

// Every piece's carry is added to the row in which the piece began, not to that in which it ended.
Outcome only_the_first_part(std::int64_t tile) {
  return by_rows([tile](const Inputs& in, std::int64_t row) {
    const std::int64_t first = in.row_offsets[row];
    const std::int64_t end = (step_of(row, first) / tile + 1) * tile - row;  // the first entry of the next piece
    return sum_of(first, std::min<std::int64_t>(end, in.row_offsets[row + 1]),
                  [&](std::int64_t j) { return product_of(in, j); });
  });
}

}  // namespace

std::vector<Misconception> carry_mistakes() {
  std::vector<Misconception> list;
  for (const std::int64_t tile : kTiles)
    list.push_back(
        {"carries lost",
         "Rows that cross a border between two pieces of the path hold the sum of the last piece only. A piece that "
         "ends in the middle of a row has a sum left, its carry, which belongs to the row that a later piece ends.",
         without_carries(tile),
         {"racecheck"}});
  for (const std::int64_t tile : kTiles)
    list.push_back({"only one carry of a row added",
                    "Rows that span three or more pieces of the path hold the last two parts only. Every piece that a "
                    "row passes through has a part of its sum: add them all up.",
                    with_the_last_carry(tile),
                    {"racecheck"}});
  for (const std::int64_t tile : kTiles)
    list.push_back({"rows end with their piece",
                    "Rows that cross a border between two pieces of the path hold the sum of the first piece only. The "
                    "piece in which the row ends must add its part to those of the others.",
                    only_the_first_part(tile),
                    {"racecheck"}});
  return list;
}

}  // namespace lanewise::labs::spmv_lab
