// One pass over the attempts, in their order.
#include "grader/grading/counted_attempts.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lanewise {

void choose_counted(CountedAttempt how, GradedStudent& student) {
  const auto replaces = [how](const GradedAttempt& later, const GradedAttempt& earlier) {
    if (later.verdict.has_value() != earlier.verdict.has_value()) return later.verdict.has_value();
    if (how == CountedAttempt::kLatest) return later.submitted >= earlier.submitted;
    return later.score.points > earlier.score.points;
  };
  std::map<std::string, std::size_t> counted;
  for (std::size_t i = 0; i < student.attempts.size(); ++i) {
    student.attempts[i].is_counted = false;
    const auto [chosen, is_first] = counted.emplace(student.attempts[i].lab, i);
    if (!is_first && replaces(student.attempts[i], student.attempts[chosen->second])) chosen->second = i;
  }
  for (const auto& [lab, i] : counted) student.attempts[i].is_counted = true;
  const auto comes_before = [](const GradedAttempt& a, const GradedAttempt& b) {
    return std::tie(a.lab, a.is_counted, a.submitted) < std::tie(b.lab, b.is_counted, b.submitted);
  };
  std::stable_sort(student.attempts.begin(), student.attempts.end(), comes_before);
}

}  // namespace lanewise
