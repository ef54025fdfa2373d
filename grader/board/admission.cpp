// Counts each student's attempts per lab and day.
#include "grader/board/admission.h"

#include <fmt/format.h>

#include <map>
#include <tuple>

namespace lanewise {
namespace {

constexpr std::int64_t kSecondsInADay = 86'400;

}  // namespace

std::vector<std::string> reasons_to_leave_out(const Competition& competition,
                                              const std::vector<AttemptDate>& attempts) {
  std::vector<std::string> reasons;
  std::map<std::tuple<std::string, std::string, std::int64_t>, int> counts;
  for (const AttemptDate& attempt : attempts) {
    std::string& reason = reasons.emplace_back();
    if (attempt.submitted == 0) continue;
    if (attempt.submitted < competition.opens) {
      reason = "submitted before the competition opened";
    } else if (competition.ends != 0 && attempt.submitted > competition.ends) {
      reason = "submitted after the end of the competition";
    } else if (competition.entries_a_day > 0) {
      const std::int64_t day = (attempt.submitted - competition.day_begins) / kSecondsInADay;
      const int number = ++counts[{attempt.student, attempt.lab, day}];
      if (number > competition.entries_a_day)
        reason = fmt::format("number {} of that day; the limit is {}", number, competition.entries_a_day);
    }
  }
  return reasons;
}

}  // namespace lanewise
