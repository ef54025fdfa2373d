// Earlier boards, kept in a board's private folder: one file each, never changed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/board/board.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// Everything about a board except what compare_with() fills in. It has ids: it is not for the class.
std::string round_json(const Board& board);

/// Its file's name: "2026-11-22T19-40-00Z.json".
std::string round_file(const Board& board);

/// The boards in a folder of such files, the oldest first; none if there is no folder. The failure names the file that
/// cannot be understood.
Expected<std::vector<Board>> read_rounds(const std::filesystem::path& folder);

}  // namespace lanewise
