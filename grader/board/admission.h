// Which submissions a competition's dates and limits leave out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grader/board/competition.h"

namespace lanewise {

struct AttemptDate {
  std::string student;
  std::string lab;
  std::int64_t submitted = 0;  ///< seconds since 1970 in UTC; 0: unknown
};

/// For each attempt, why it does not race, as a clause; empty if it may. The first ones of a day count, not the newest:
/// otherwise the limit would stop nobody from trying on. Attempts without a date may race. Those of one student at one
/// lab must be in the order of submission.
std::vector<std::string> reasons_to_leave_out(const Competition& competition, const std::vector<AttemptDate>& attempts);

}  // namespace lanewise
