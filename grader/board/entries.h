// Who races: from the verdicts of a class to the entries of a board.
#pragma once

#include <vector>

#include "grader/board/board.h"
#include "grader/board/competition.h"
#include "grader/class/graded_class.h"

namespace lanewise {

/// An entry for each student who submitted anything for the competition, from the attempts that count: fit if all of
/// its tasks are right and clean. If correctness has a weight, hidden cases (those outside the group check) may be
/// wrong, and cost their share; otherwise none may. Names are nicknames, or "anonymous 1" and so on; of equal names,
/// the later ones get a number. No times yet.
std::vector<BoardEntry> entries_of(const GradedClass& graded, const Competition& competition);

/// Gives fit entries the modelled times of their verdicts; those without one are no longer fit. The board has one case
/// per task, in the competition's order, with the reference's time; the cases get their sizes and the roof.
void take_modelled_times(const GradedClass& graded, const Competition& competition, Board& board);

}  // namespace lanewise
