// Rows that lie across the borders of pieces of the merge path, and lose a part there.
#include <algorithm>

#include "labs/spmv/misconceptions.h"
#include "labs/spmv/outcome.h"

namespace lanewise::labs::spmv_lab {
namespace {

constexpr std::int64_t kTiles[] = {1792, 7, 2048, 8, 3840, 1024};  // row ends and entries a piece, the likely first
constexpr std::int64_t kShares[] = {7, 8};                         // of them, pieces for a thread
constexpr std::int64_t kSharesPerBlock = 256;

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

// The first entry of piece number `piece`: its first step, less the row ends that come before it.
std::int64_t first_entry_of(const Inputs& in, std::int64_t piece, std::int64_t share) {
  const std::int64_t step = std::min(piece * share, in.rows + in.nnz);
  std::int64_t low = 0, high = in.rows;
  while (low < high) {
    const std::int64_t row = (low + high) / 2;
    if (step_of(row, in.row_offsets[row + 1]) < step)
      low = row + 1;
    else
      high = row;
  }
  return step - low;
}

// A thread's sum goes on over the ends of rows. The first row end in a piece gets all that the pieces before it have
// left, back to and including one with a row end, which may have left something although its last step was a row end.
Outcome never_reset(std::int64_t share, bool adds_without_entries) {
  return by_rows([=](const Inputs& in, std::int64_t row) {
    const auto value = [&](std::int64_t j) { return product_of(in, j); };
    const std::int64_t begin = step_of(row, in.row_offsets[row]);
    std::int64_t piece = step_of(row, in.row_offsets[row + 1]) / share;
    std::int64_t first = first_entry_of(in, piece, share);
    double sum = sum_of(first, in.row_offsets[row + 1], value);
    for (; piece * share >= begin && piece > 0; --piece) {
      const std::int64_t next = first;
      first = first_entry_of(in, piece - 1, share);
      if (adds_without_entries || in.row_offsets[row] < next) sum += sum_of(first, next, value);
    }
    return sum;
  });
}

// The walk to the left stops at the thread in which the row begins, before it has added what that thread has left. Not
// so if no other row ends there, nor where is_right(first piece, last piece) says so.
template <class IsRight>
Outcome without_the_flagged_carry(std::int64_t share, const IsRight& is_right) {
  return by_rows([=](const Inputs& in, std::int64_t row) {
    const std::int64_t begin = step_of(row, in.row_offsets[row]), end = step_of(row, in.row_offsets[row + 1]);
    const bool is_flagged = begin % share != 0 && begin / share != end / share;
    const bool is_lost = is_flagged && !is_right(begin / share, end / share);
    return sum_of(is_lost ? (begin / share + 1) * share - row : in.row_offsets[row], in.row_offsets[row + 1],
                  [&](std::int64_t j) { return product_of(in, j); });
  });
}

bool are_in_one_block(std::int64_t piece, std::int64_t other) {
  return piece / kSharesPerBlock == other / kSharesPerBlock;
}

// Both walks stop too early, the threads' and the block's; or the block's begins with the last thread's carry all the
// same; or only the threads' walk is wrong.
void add_flags_before_carries(std::vector<Misconception>& list) {
  const auto add = [&list](const Outcome& outcome) {
    list.push_back({"walk stopped before the flagged carry",
                    "Rows lack the part that lies in the share in which they begin. On the walk to the left, add a "
                    "thread's carry first, and then stop if it has ended a row: its carry belongs to the row that "
                    "continues.",
                    outcome});
  };
  add(without_the_flagged_carry(kShares[0], [](std::int64_t, std::int64_t) { return false; }));
  add(without_the_flagged_carry(kShares[0], [](std::int64_t first, std::int64_t last) {
    return !are_in_one_block(first, last) && !are_in_one_block(first, first + 1);
  }));
  add(without_the_flagged_carry(kShares[0],
                                [](std::int64_t first, std::int64_t last) { return !are_in_one_block(first, last); }));
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
  for (const std::int64_t share : kShares)
    for (const bool adds_without_entries : {false, true})
      list.push_back({"sum not reset after a row",
                      "Rows hold products of the rows before them as well: when a row ends, write out the sum and "
                      "start again from 0.",
                      never_reset(share, adds_without_entries)});
  add_flags_before_carries(list);
  return list;
}

}  // namespace lanewise::labs::spmv_lab
