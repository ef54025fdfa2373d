// Which failing cases are shown in full and which merely listed: one mistake usually breaks many cases.
#pragma once

#include <vector>

#include "harness/lab/verdict.h"

namespace lanewise {

/// Failing cases that share a cause as far as can be told: the same misconception, or the same
/// sentence but for its numbers.
struct CaseGroup {
  const CaseVerdict* shown = nullptr;    ///< the first, to be shown in full
  std::vector<const CaseVerdict*> same;  ///< the others
};

/// The failing cases of a task in order, grouped; cases right or left out are not in it. It points into `cases`.
std::vector<CaseGroup> group_failures(const std::vector<CaseVerdict>& cases);

/// "block + 1 (n = 1025)"
std::string case_label(const CaseVerdict& verdict);

/// "wrong", "time limit"
const char* words_for(CaseOutcome outcome);

}  // namespace lanewise
