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

/// For each attempt why it does not race, as a clause; empty if it may. Of one day, the first ones count, not the
/// newest: otherwise nobody would have to stop trying. Attempts without a date may race. Those of a student at a lab
/// are in the order of submission.
std::vector<std::string> reasons_to_leave_out(const Competition& competition, const std::vector<AttemptDate>& attempts);

}  // namespace lanewise
