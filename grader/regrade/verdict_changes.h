// What moved the points between two verdicts of the same work: cases, goals, questions and rules, line by line.
#pragma once

#include <string>
#include <vector>

#include "harness/lab/verdict.h"

namespace lanewise {

/// One line of an explanation.
struct PointChange {
  std::string task;  ///< name; empty for what the course does
  std::string part;  ///< "correct", ...; "course" for what the course does
  std::string what;  ///< "case block + 1", "question why"; empty for the part as a whole
  std::string why;   ///< "right before, wrong now"
  double moved = 0;  ///< points as graded that `part` gained; the lines of a part add up to its total
};

/// The lines that explain after.points - before.points, by task and part. What an item costs its part is its price; a
/// line says by how much this price changed, so an item that is right before and after has no line, whatever it is
/// worth. Items whose own points and outcome are unchanged, but that weigh more or less relative to the others, share
/// one line. Lines about less than a hundredth of a point are left out.
std::vector<PointChange> verdict_changes(const Verdict& before, const Verdict& after);

/// Whether a difference in points is worth reporting.
bool is_moved(double points);

}  // namespace lanewise
