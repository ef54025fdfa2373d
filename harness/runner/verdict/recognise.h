// Recognises typical mistakes: which of a task's misconceptions explains what a submission got wrong.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
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

/// One of a task's misconceptions whose outcome cannot be told from what a submission gave.
struct Match {
  std::size_t misconception = 0;
  bool is_exact = true;  ///< by the task's judge; or only resembles it
};

/// The misconceptions that match `got`, which is not right: `expected` is. Skips those already `ruled_out`. A small
/// case adds the ones that it contradicts, which saves computing their outcomes for larger cases: most mistakes match
/// none.
std::vector<Match> matching_misconceptions(const Task& task, const Problem& problem, const std::vector<Array>& expected,
                                           const std::vector<Array>& got, Outcomes& outcomes,
                                           std::set<std::size_t>& ruled_out);

/// Whether `misconception` says nothing about a case, or gives the right answer there, which is `expected`; or need not
/// agree with it.
bool is_harmless(const Task& task, const Problem& problem, const std::vector<Array>& expected,
                 std::size_t misconception, Outcomes& outcomes);

/// Whether what a checker found in a case may be behind its wrong outputs instead of `misconception`.
bool yields(const Misconception& misconception, const std::vector<Finding>& findings);

/// The matches per case, by position; empty for cases that are right or gave no outputs.
using Matches = std::vector<std::vector<Match>>;

/// Of `candidates`, those that are harmless in case number `index`.
using Harmless = std::function<std::vector<std::size_t>(std::size_t index, const std::vector<std::size_t>& candidates)>;

/// Names at most one misconception in `cases`: one that explains at least half of the wrong ones, and that neither a
/// wrong nor a right one contradicts. On a tiny case many mistakes look alike; only one seen throughout is worth
/// reporting. `harmless` is asked about cases with outputs that a candidate does not match.
void name_misconception(const Task& task, const Matches& matches, const Harmless& harmless,
                        std::vector<CaseVerdict>& cases);

}  // namespace lanewise
