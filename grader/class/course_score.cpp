// From points as graded to points as they count.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/class/course.h"
#include "harness/report/safe_text.h"

namespace lanewise {
namespace {

constexpr double kDay = 86'400;

LabTerms terms_of(const Course& course, const std::string& lab) {
  const auto found = course.labs.find(lab);
  return found == course.labs.end() ? LabTerms{} : found->second;
}

std::int64_t extension_of(const Course& course, const std::string& student, const std::string& lab) {
  auto found = course.extensions.find(student + "/" + lab);
  if (found == course.extensions.end()) found = course.extensions.find(student);
  return found == course.extensions.end() ? 0 : found->second;
}

// Days or parts of a day since it was due; none within the grace period. A platform's mark without a time says that the
// due date had passed, not for how long, and knows nothing of our extensions: it stands for one day after the due date.
double days_late(const Course& course, const LabTerms& terms, std::int64_t extension, std::int64_t submitted,
                 bool is_marked_late) {
  if (submitted == 0 ? !is_marked_late : terms.due == 0) return 0;
  const double since_due = submitted == 0 ? kDay : static_cast<double>(submitted) - static_cast<double>(terms.due);
  const double seconds = since_due - static_cast<double>(extension);
  return seconds <= 60 * course.late.grace_minutes ? 0 : std::max(1.0, std::ceil(seconds / kDay));
}

double share_lost(const LatePolicy& late, double days) {
  if (days <= 0) return 0;
  if (late.last_day > 0 && days > late.last_day) return 1;
  return std::clamp(std::min(late.percent_a_day * days, late.most_percent) / 100, 0.0, 1.0);
}

void say(std::string& explanation, const std::string& what) {
  if (!explanation.empty()) explanation += "; ";
  explanation += what;
}

}  // namespace

CourseScore course_score(const Course& course, const std::string& student, const std::string& lab, double points,
                         double max_points, std::int64_t submitted, bool is_marked_late) {
  const LabTerms terms = terms_of(course, lab);
  CourseScore score;
  score.out_of = terms.out_of > 0 ? terms.out_of : std::max(0.0, max_points);
  const double graded = std::isfinite(points) ? std::max(0.0, points) : 0;

  // 1. The course's points instead of the lab's.
  const bool is_scaled = max_points > 0 && score.out_of != max_points;
  const double reached = is_scaled ? graded / max_points * score.out_of : graded;
  if (is_scaled) {
    say(score.explanation, fmt::format("{} of {} become {} of {}", points_text(graded), points_text(max_points),
                                       points_text(reached), points_text(score.out_of)));
  }

  // 2. Lateness costs a share of the points earned.
  score.days_late = days_late(course, terms, extension_of(course, student, lab), submitted, is_marked_late);
  score.lost = reached * share_lost(course.late, score.days_late);
  const bool is_mark_all = is_marked_late && submitted == 0;
  if (is_mark_all && score.days_late == 0) say(score.explanation, "marked late, within the extension");
  if (score.days_late > 0) {
    const bool is_too_late = course.late.last_day > 0 && score.days_late > course.late.last_day;
    say(score.explanation, fmt::format("{}{} {} late{}: -{}", is_mark_all ? "marked late without a time, so " : "",
                                       points_text(score.days_late), score.days_late == 1 ? "day" : "days",
                                       is_too_late ? ", too late to count" : "", points_text(score.lost)));
  }

  // 3. Extra points are added afterwards: lateness does not reduce them.
  const auto extra = terms.extra_points.find(student);
  const double given = extra == terms.extra_points.end() ? 0 : std::max(0.0, extra->second);
  if (given > 0) say(score.explanation, fmt::format("extra points: +{}", points_text(given)));

  // 4. At most full marks plus the extra credit that the lab allows.
  const double most = score.out_of * (1 + std::max(0.0, terms.extra_credit));
  const double sum = std::max(0.0, reached - score.lost) + given;
  score.points = rounded_points(std::min(sum, most));
  if (sum > most) say(score.explanation, fmt::format("at most {} count", points_text(most)));
  return score;
}

}  // namespace lanewise
