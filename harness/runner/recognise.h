// Recognises typical mistakes: which of a task's misconceptions explains what a submission got wrong.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// Indices of the task's misconceptions whose outcome the task's judge cannot tell from `got`.
std::vector<std::size_t> matching_misconceptions(const Task& task, const Problem& problem,
                                                 const std::vector<Array>& got);

/// The matches per case, by position; empty for cases that are right or gave no outputs.
using Matches = std::vector<std::vector<std::size_t>>;

/// Names at most one misconception in `cases`: the one that explains most of the wrong ones, if that is at least half
/// of them. On a tiny case many mistakes look alike; only one seen throughout is worth reporting.
void name_misconception(const Task& task, const Matches& matches, std::vector<CaseVerdict>& cases);

}  // namespace lanewise
