// The board as a table on a terminal.
#pragma once

#include <string>

#include "grader/board/board.h"
#include "harness/report/text_style.h"

namespace lanewise {

/// Ranks, names, ratios, and where there is room the intervals on one axis, with the marks in a line above. For the
/// instructor: entries also have the ids of those who handed them in.
std::string board_text(const Board& board, const TextStyle& style);

}  // namespace lanewise
