// The files of a board that the class may see: a folder that any web host can serve.
#pragma once

#include <string>
#include <vector>

#include "grader/board/board.h"

namespace lanewise {

inline constexpr const char* kStandingsFile = "standings.json";  ///< identifies a folder as a board's

struct PublicFile {
  std::string name;
  std::string content;
};

/// index.html with its style and script, standings.json, and version.json, which an open page requests every second. In
/// the order in which they can be replaced one by one.
std::vector<PublicFile> public_files(const Board& board);

}  // namespace lanewise
