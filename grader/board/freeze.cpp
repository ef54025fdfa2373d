// A frozen board is an earlier round, with the dates of the freeze.
#include "grader/board/freeze.h"

#include <algorithm>

#include "grader/board/history.h"

namespace lanewise {

bool is_frozen(const Competition& competition, std::int64_t now, std::int64_t revealed) {
  if (competition.freeze == 0 || now <= competition.freeze || revealed > competition.freeze) return false;
  return competition.reveal == 0 || now <= competition.reveal;
}

Board frozen_board(const Competition& competition, const std::vector<Board>& rounds) {
  const auto end =
      std::find_if(rounds.begin(), rounds.end(), [&](const Board& round) { return round.made > competition.freeze; });
  Board board;
  if (end != rounds.begin()) {
    board = *(end - 1);
    compare_with({rounds.begin(), end - 1}, board);
  } else {
    board.title = competition.title;
    board.weights = competition.weights;
    board.opens = competition.opens;
    board.ends = competition.ends;
  }
  board.frozen = competition.freeze;
  board.reveal = competition.reveal;
  return board;
}

}  // namespace lanewise
