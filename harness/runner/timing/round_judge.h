// Judges the outputs of the entries in one round of timing.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "harness/lab/lab.h"
#include "harness/runner/session/observation.h"

namespace lanewise {

/// Compares with the reference's outputs for the same inputs, because an oracle may take longer than the whole timing.
/// Outputs that differ are compared with the oracle before they count as wrong: the reference may be at fault.
class RoundJudge {
 public:
  /// `reference`: its outputs of this round; `expected`: the oracle's answer; if null, the oracle is asked when needed.
  /// Either may be null. All must outlive this object.
  RoundJudge(const Task& task, const Problem& problem, const std::vector<Array>* reference,
             const std::vector<Array>* expected)
      : task_(task), problem_(problem), reference_(reference), expected_(expected) {}

  /// Why this call is not right, which includes not returning; empty if it is right. `limit_seconds`: per call.
  /// Thread-safe.
  std::string trouble(const CaseObservation& observation, double limit_seconds);

  /// The same for the reference's outputs, if those of another entry made it necessary to ask the oracle; otherwise
  /// empty. Call it after judging all others.
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
