// Recognises typical mistakes: which of a task's misconceptions explains what a submission got wrong.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/lab/verdict.h"

namespace lanewise {

/// What a task's misconceptions make of one case. Small outcomes are computed once, for all submissions. Thread-safe.
class Outcomes {
 public:
  std::shared_ptr<const std::vector<Array>> get(const Task& task, const Problem& problem, std::size_t misconception);

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const std::vector<Array>>> kept_;  ///< by misconception
};

/// Indices of the task's misconceptions whose outcome the task's judge cannot tell from `got`.
std::vector<std::size_t> matching_misconceptions(const Task& task, const Problem& problem,
                                                 const std::vector<Array>& got, Outcomes& outcomes);

/// The matches per case, by position; empty for cases that are right or gave no outputs.
using Matches = std::vector<std::vector<std::size_t>>;

/// Names at most one misconception in `cases`: the one that explains most of the wrong ones, if that is at least half
/// of them. On a tiny case many mistakes look alike; only one seen throughout is worth reporting.
void name_misconception(const Task& task, const Matches& matches, std::vector<CaseVerdict>& cases);

}  // namespace lanewise
