// Whether what entries gave back in one round of timing is right.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/runner/observation.h"

namespace lanewise {

/// Held against what the reference gave for the same inputs, for an oracle may take longer than all the timing. What
/// differs from it is held against the oracle before anybody is told wrong: the reference may have been.
class RoundJudge {
 public:
  /// `reference`: its outputs of this round; `expected`: the oracle's answer, or it is asked when it is needed. Either
  /// may be null. All must outlive this object.
  RoundJudge(const Task& task, const Problem& problem, const std::vector<Array>* reference,
             const std::vector<Array>* expected)
      : task_(task), problem_(problem), reference_(reference), expected_(expected) {}

  /// Why this call is not right, endings other than returning included; empty if it is. `limit_seconds`: of a call. May
  /// be called from several threads.
  std::string trouble(const CaseObservation& observation, double limit_seconds);

  /// The same of the reference's outputs, where anybody else's made it necessary to ask the oracle; else empty. Once
  /// all others have been judged.
  std::string trouble_of_reference();

 private:
  std::string difference(const std::vector<Array>& expected, const std::vector<Array>& got) const;
  const std::vector<Array>& oracle();

  const Task& task_;
  const Problem& problem_;
  const std::vector<Array>* reference_;
  const std::vector<Array>* expected_;
  std::once_flag asked_;
  std::atomic<bool> is_in_doubt_{false};
  std::vector<Array> answer_;
};

}  // namespace lanewise
