// Who would change and why, as people read it: on the terminal, and in a spreadsheet.
#pragma once

#include <string>
#include <vector>

#include "grader/regrade/class_changes.h"
#include "harness/report/text_style.h"

namespace lanewise {

/// Each reason on a line of its own, or more, with the points that it moved before it.
std::string reasons_text(const std::vector<PointChange>& changes, const TextStyle& style);

/// A line a score that changes, and below it a line for each reason. `scores` is how many there are in all.
std::string changes_text(const std::vector<ScoreChange>& changes, std::size_t scores, const TextStyle& style);

/// regrade.csv: a row for each reason. No cell can become a formula.
std::string changes_csv(const std::vector<ScoreChange>& changes);

}  // namespace lanewise
