// Which findings are one mistake: the same line is often found wrong in several arrays, and a race from both its ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/lab/verdict.h"

namespace lanewise {

/// Findings of one checker at one place that say the same thing.
struct FindingGroup {
  const Finding* shown = nullptr;  ///< the first, to be shown in full
  std::vector<const Finding*> same;
  std::int64_t count = 0;  ///< how often they were seen, together
};

/// The findings of a task in order, but those that explain others first; grouped by tool, place and kind over all cases
/// and arrays, those of racecheck by the two lines that race. The result points into `findings`.
std::vector<FindingGroup> group_findings(const std::vector<Finding>& findings);

/// True for what synccheck found: accesses that a barrier would order if all threads reached it are found, too, and the
/// barrier is to be put right first.
bool explains_others(const Finding& finding);

/// The line at the other end of a race; 0 if there is none.
int other_line(const Finding& finding);

/// "d_a[100], d_b[100] and 2 more"; empty if no array is known.
std::string arrays_text(const FindingGroup& group);

}  // namespace lanewise
