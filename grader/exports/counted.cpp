// Looks attempts up.
#include "grader/exports/counted.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

namespace lanewise {

const GradedAttempt* counted_attempt(const GradedStudent& student, const std::string& lab) {
  const auto found = std::find_if(
      student.attempts.begin(), student.attempts.end(),
      [&lab](const GradedAttempt& attempt) { return attempt.lab == lab && attempt.is_counted && attempt.verdict; });
  return found == student.attempts.end() ? nullptr : &*found;
}

std::string why_not_counted(const GradedStudent& student, const std::string& lab) {
  if (counted_attempt(student, lab) != nullptr) return "";
  const GradedAttempt* newest = nullptr;
  for (const GradedAttempt& attempt : student.attempts)
    if (attempt.lab == lab && (newest == nullptr || attempt.submitted >= newest->submitted)) newest = &attempt;
  if (newest == nullptr) return "nothing was submitted";
  return newest->trouble.empty() ? "no attempt counts" : newest->trouble;
}

double points_possible(const GradedClass& graded, const GradedLab& lab) {
  double out_of = 0;
  for (const GradedStudent& student : graded.students)
    if (const GradedAttempt* const attempt = counted_attempt(student, lab.id))
      out_of = std::max(out_of, attempt->score.out_of);
  return out_of > 0 ? out_of : lab.max_points;
}

std::string lab_heading(const GradedLab& lab) {
  return lab.title.empty() ? lab.id : fmt::format("{} ({})", lab.title, lab.id);
}

std::string submitted_text(std::int64_t submitted) {
  if (submitted == 0) return "";
  const auto seconds = static_cast<std::time_t>(submitted);
  std::tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return "";
  char text[64];
  return std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &parts) > 0 ? text : "";
}

}  // namespace lanewise
