// standings.json: the board for programs.
#pragma once

#include <string>

#include "grader/board/board.h"

namespace lanewise {

/// The board as JSON, with "schema_version" kBoardSchemaVersion. It contains only the names shown on boards.
std::string board_json(const Board& board);

/// A digest of what the board says, also in its JSON, by which a page knows whether it is up to date.
std::string board_version(const Board& board);

}  // namespace lanewise
