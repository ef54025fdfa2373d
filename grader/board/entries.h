// Who races: from the verdicts of a class to the entries of a board.
#pragma once

#include <vector>

#include "grader/board/board.h"
#include "grader/board/competition.h"
#include "grader/graded_class.h"

namespace lanewise {

/// An entry for each student who handed in anything for the competition, by the attempts that count: fit if all of its
/// tasks are right and clean. Where correctness has a weight, hidden cases (those that are not of the group check) may
/// be wrong, and cost their share; else nothing may. Names are nicknames, "anonymous 1" and so on for who has none; of
/// equal ones the later ones get a number. No times yet.
std::vector<BoardEntry> entries_of(const GradedClass& graded, const Competition& competition);

/// Gives fit entries the modelled times of their verdicts; those without one are no longer fit. The board's cases are
/// one a task, in the competition's order, with the reference's time; they get their sizes and the roof.
void take_modelled_times(const GradedClass& graded, const Competition& competition, Board& board);

}  // namespace lanewise
