// The board as one page that needs nothing beside itself.
#pragma once

#include <string>

#include "grader/board/board.h"

namespace lanewise {

/// HTML for light and dark, screen and paper, without scripts and without anything from elsewhere. People are on it by
/// the names shown on boards and no others.
std::string board_page(const Board& board);

}  // namespace lanewise
