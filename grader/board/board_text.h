// The board as a table on a terminal.
#pragma once

#include <string>

#include "grader/board/board.h"
#include "harness/report/text_style.h"

namespace lanewise {

/// Ranks, names, ratios and, if there is room, the intervals on one axis, with the marks in a line above. For the
/// instructor: it also shows the id behind each entry.
std::string board_text(const Board& board, const TextStyle& style);

}  // namespace lanewise
