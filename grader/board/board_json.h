// standings.json: the board for programs.
#pragma once

#include <string>

#include "grader/board/board.h"

namespace lanewise {

/// The board as JSON, with "schema_version" kBoardSchemaVersion. People are in it by the names shown on boards and no
/// others.
std::string board_json(const Board& board);

}  // namespace lanewise
