// What has changed between two verdicts on the same work.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/lab/verdict.h"

namespace lanewise {

/// Failing cases and findings, by name. Lines do not tell them apart: they move with every edit.
struct Changes {
  std::vector<std::string> fixed;
  std::vector<std::string> added;
  std::size_t still = 0;
};

Changes changes_since(const TaskVerdict& before, const TaskVerdict& now);

/// "fixed: one block, warp + 1 and 2 more; new: racecheck on s; 3 still there". Empty if nothing was or is wrong.
std::string changes_text(const Changes& changes);

}  // namespace lanewise
