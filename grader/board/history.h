// What has changed since earlier boards: ranks, and the history of each entry.
#pragma once

#include <string>
#include <vector>

#include "grader/board/board.h"

namespace lanewise {

/// Fills in the board's `dates` and `left_out`, and its entries' `history` and `climbed`, from earlier boards, the
/// oldest first. Only boards with the same device, cases and weights are compared; of several in a row that were made
/// from the same submissions, the last.
///
/// Two entries whose order differs from that on the last board, although the intervals of neither are apart from what
/// they were, have not changed ranks: that is noise. Entries are the same if student and nickname are, so that neither
/// a new nickname nor giving one up can be traced.
void compare_with(const std::vector<Board>& earlier, Board& board);

/// What a result says against the best of those before it: "first time", "12.0 % less time", "3.1 % more time", "no
/// difference"; empty without a rank.
std::string progress_text(const std::vector<PastResult>& history, std::size_t which);

/// The best result of the first `count`, by the median; nullptr if none of them has a rank.
const PastResult* best_of(const std::vector<PastResult>& history, std::size_t count);

}  // namespace lanewise
