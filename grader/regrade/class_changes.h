// Whose score a new grading would change, and why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/class/graded_class.h"
#include "grader/regrade/verdict_changes.h"
#include "grader/store/store.h"

namespace lanewise {

/// The current score, with the verdict behind it, marks included; nothing if that is no longer on record.
struct StandingScore {
  StoredScore score;
  std::optional<Verdict> verdict;
};

/// A score in the course, before or after.
struct CoursePoints {
  double points = 0;
  double out_of = 0;
};

struct ScoreChange {
  Student student;
  std::string lab;
  std::optional<CoursePoints> before;  ///< nothing: there was no score
  std::optional<CoursePoints> after;   ///< nothing: it could not be graded
  std::vector<PointChange> lines;      ///< add up to the difference of the points

  double moved() const { return (after ? after->points : 0) - (before ? before->points : 0); }
};

/// By student, then by lab of `graded`; only scores whose counted points, or maximum, change. Scores for other labs are
/// ignored.
std::vector<ScoreChange> class_changes(const std::vector<StandingScore>& standing, const GradedClass& graded);

}  // namespace lanewise
