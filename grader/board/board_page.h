// The board as one self-contained page.
#pragma once

#include <string>

#include "grader/board/board.h"

namespace lanewise {

/// HTML for light and dark, screen and paper, without scripts or external resources. It contains only the names shown
/// on boards.
std::string board_page(const Board& board);

}  // namespace lanewise
