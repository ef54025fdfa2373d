// The freeze before the end of a competition, and what the class sees during it.
#pragma once

#include <cstdint>
#include <vector>

#include "grader/board/board.h"
#include "grader/board/competition.h"

namespace lanewise {

/// Whether the class sees frozen standings at `now`. `revealed` is when an instructor last revealed the standings,
/// which ends a freeze that had begun by then; 0: never.
bool is_frozen(const Competition& competition, std::int64_t now, std::int64_t revealed);

/// What the class sees during the freeze: the newest of `rounds` (oldest first) made before it began, or a board
/// without entries if there is none. Nothing in it depends on a later round.
Board frozen_board(const Competition& competition, const std::vector<Board>& rounds);

}  // namespace lanewise
