// Only counted attempts: no grade depends on any other.
#include "grader/regrade/class_changes.h"

#include <fmt/format.h>

#include "grader/exports/counted.h"

namespace lanewise {
namespace {

constexpr const char* kCourse = "course";

const StandingScore* standing_score(const std::vector<StandingScore>& standing, const std::string& student,
                                    const std::string& lab) {
  for (const StandingScore& each : standing)
    if (each.score.is_counted && each.score.student == student && each.score.lab == lab) return &each;
  return nullptr;
}

std::string or_nothing(const std::string& explanation) { return explanation.empty() ? "as graded" : explanation; }

// What the lab's own points do not explain comes from the course: scale, lateness, extra points.
void add_course(const StoredScore& before, const CourseScore& after, std::vector<PointChange>& lines) {
  double rest = after.points - before.points;
  for (const PointChange& line : lines) rest -= line.moved;
  const bool is_same = before.explanation == after.explanation;
  if (!is_moved(rest) && before.out_of == after.out_of) return;
  std::string why = is_same
                        ? fmt::format("the course's terms: {}", or_nothing(after.explanation))
                        : fmt::format("{}; before: {}", or_nothing(after.explanation), or_nothing(before.explanation));
  lines.push_back({"", kCourse, "", std::move(why), rest});
}

std::vector<PointChange> lines_of(const StandingScore& before, const GradedAttempt& after) {
  const double moved = after.score.points - before.score.points;
  if (after.source.parent_path().filename() != before.score.content)
    return {{"", kCourse, "", fmt::format("another attempt counts: {}", after.came_from), moved}};
  if (!before.verdict) return {{"", kCourse, "", "the verdict behind the current score is no longer on record", moved}};
  std::vector<PointChange> lines = verdict_changes(*before.verdict, *after.verdict);
  add_course(before.score, after.score, lines);
  return lines;
}

std::optional<ScoreChange> change_of(const StandingScore* before, const GradedAttempt* after,
                                     const GradedStudent& student, const std::string& lab) {
  if (before == nullptr && after == nullptr) return std::nullopt;
  ScoreChange change;
  change.student = student.student;
  change.lab = lab;
  if (before != nullptr) change.before = CoursePoints{before->score.points, before->score.out_of};
  if (after != nullptr) change.after = CoursePoints{after->score.points, after->score.out_of};
  if (before == nullptr)
    change.lines = {{"", kCourse, "", "graded for the first time", change.moved()}};
  else if (after == nullptr)
    change.lines = {{"", kCourse, "", why_not_counted(student, lab), change.moved()}};
  else if (is_moved(change.moved()) || is_moved(change.after->out_of - change.before->out_of))
    change.lines = lines_of(*before, *after);
  else
    return std::nullopt;
  return change;
}

}  // namespace

std::vector<ScoreChange> class_changes(const std::vector<StandingScore>& standing, const GradedClass& graded) {
  std::vector<ScoreChange> changes;
  for (const GradedStudent& student : graded.students)
    for (const GradedLab& lab : graded.labs)
      if (auto change = change_of(standing_score(standing, student.student.id, lab.id),
                                  counted_attempt(student, lab.id), student, lab.id))
        changes.push_back(std::move(*change));
  return changes;
}

}  // namespace lanewise
