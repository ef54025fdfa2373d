// Whose score would change and why, for people: on the terminal, and in a spreadsheet.
#pragma once

#include <string>
#include <vector>

#include "grader/regrade/class_changes.h"
#include "harness/report/text_style.h"

namespace lanewise {

/// Each reason on one or more lines, preceded by the points that it moved.
std::string reasons_text(const std::vector<PointChange>& changes, const TextStyle& style);

/// A line per changed score, and below it a line for each reason. `scores` is the total number of scores.
std::string changes_text(const std::vector<ScoreChange>& changes, std::size_t scores, const TextStyle& style);

/// regrade.csv: a row for each reason. No cell can become a formula.
std::string changes_csv(const std::vector<ScoreChange>& changes);

}  // namespace lanewise
