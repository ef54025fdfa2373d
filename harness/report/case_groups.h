// Which failing cases are shown in full and which are only listed: one mistake usually breaks many cases.
#pragma once

#include <vector>

#include "harness/lab/verdict.h"

namespace lanewise {

/// Failing cases that seem to share a cause: the same misconception, or the same sentence apart from its numbers.
struct CaseGroup {
  const CaseVerdict* shown = nullptr;    ///< the first, to be shown in full
  std::vector<const CaseVerdict*> same;  ///< the others
};

/// The failing cases of a task in order, grouped, without those right or left out. The result points into `cases`.
std::vector<CaseGroup> group_failures(const std::vector<CaseVerdict>& cases);

/// "block + 1 (n = 1025)"
std::string case_label(const CaseVerdict& verdict);

/// "wrong", "time limit"
const char* words_for(CaseOutcome outcome);

}  // namespace lanewise
