// The page's section on how each entry's time and rank went from board to board.
#pragma once

#include <string>

#include "grader/board/board.h"

namespace lanewise {

/// A section with id "history": for each entry with a rank, now or earlier, a step picture of its best time and, opened
/// by hand, a table. Empty if there is no earlier board.
std::string history_section(const Board& board);

}  // namespace lanewise
