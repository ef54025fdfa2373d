// Bytes first, then the lab's judge, then the oracle.
#include "harness/runner/timing/round_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "harness/runner/session/explain.h"

namespace lanewise {
namespace {

bool are_identical(const std::vector<Array>& left, const std::vector<Array>& right) {
  return &left == &right ||
         std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [](const Array& a, const Array& b) { return a.shape == b.shape && a.bytes == b.bytes; });
}

std::string cannot_judge(const std::exception& error) {
  return fmt::format("the lab cannot judge this case: {}", error.what());
}

}  // namespace

std::string RoundJudge::trouble(const CaseObservation& observation, double limit_seconds) {
  if (observation.ending != RunEnding::kReturned) return explain_ending(observation, limit_seconds).sentence;
  if (!observation.has_outputs) return "left the device in a state from which no results can be read";
  if (std::string stray = explain_stray_writes(observation); !stray.empty()) return stray;
  const std::vector<Array>& got = observation.outputs;
  try {
    if (reference_ != nullptr && (are_identical(*reference_, got) || difference(*reference_, got).empty())) return "";
    is_in_doubt_ = reference_ != nullptr;
    return difference(oracle(), got);
  } catch (const std::exception& error) {
    return cannot_judge(error);
  }
}

std::string RoundJudge::trouble_of_reference() {
  try {
    return is_in_doubt_ ? difference(oracle(), *reference_) : "";
  } catch (const std::exception& error) {
    return cannot_judge(error);
  }
}

std::string RoundJudge::difference(const std::vector<Array>& expected, const std::vector<Array>& got) const {
  const Judgement judgement = task_.judge(problem_, expected, got);
  return judgement.right ? "" : explain_mismatch(judgement, got);
}

const std::vector<Array>& RoundJudge::oracle() {
  if (expected_ != nullptr) return *expected_;
  std::call_once(asked_, [this] { answer_ = task_.oracle(problem_); });
  return answer_;
}

}  // namespace lanewise
