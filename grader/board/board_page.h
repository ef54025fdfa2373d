// The board as a page.
#pragma once

#include <string>

#include "grader/board/board.h"

namespace lanewise {

/// HTML for light and dark, screen and paper. Beside it lie board.css and board.js: with the script, tables can be
/// sorted and the page follows the board. It contains only the names shown on boards.
std::string board_page(const Board& board);

}  // namespace lanewise
