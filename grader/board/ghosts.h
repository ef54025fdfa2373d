// Winners of earlier competitions, as reference marks.
#pragma once

#include <string>
#include <vector>

#include "grader/board/board.h"
#include "grader/board/competition.h"
#include "harness/lab/failure.h"

namespace lanewise {

/// The first place of an earlier competition.
struct Ghost {
  struct Time {
    std::string lab;
    std::string task;
    std::string case_name;
    double ratio = 0;  ///< to the reference's time then
    double milliseconds = 0;
  };
  std::string name;
  std::string device;
  bool is_modelled = false;
  std::vector<Time> times;
};

/// Reads standings.json, but not the winner's nickname. The failure names the file and what is missing in it.
Expected<Ghost> read_ghost(const GhostFile& file);

/// Adds a mark to each case that both competitions have. Modelled times are compared as times, measured ones as
/// ratios to the reference. Returns a sentence if the ghost cannot be shown; else an empty text.
std::string add_ghost(const Ghost& ghost, Board& board);

}  // namespace lanewise
