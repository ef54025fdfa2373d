// A queue of futures.
#include "harness/runner/timing/fresh_rounds.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "harness/runner/problems.h"

namespace lanewise {
namespace {

std::shared_ptr<const FreshRound> make_round(const Task& task, const CaseFile& case_file, std::uint64_t seed,
                                             bool with_expected) {
  auto round = std::make_shared<FreshRound>();
  auto made = make_problem(task, case_file, seed);
  if (const auto* missing = std::get_if<MissingData>(&made)) {
    round->trouble = missing->sentence;
    return round;
  }
  round->problem = std::move(std::get<Problem>(made));
  if (!with_expected) return round;
  try {
    round->expected = task.oracle(round->problem);
    round->has_expected = true;
  } catch (const std::exception& error) {
    round->trouble = error.what();
  }
  return round;
}

}  // namespace

FreshRounds::FreshRounds(const Task& task, const CaseFile& case_file, std::string lab, std::uint64_t seed)
    : task_(task), case_file_(case_file), lab_(std::move(lab)), seed_(seed) {}

void FreshRounds::make_ahead(std::size_t rounds, bool with_expected) {
  ahead_ = rounds;
  with_expected_ = with_expected;
  while (made_.size() < ahead_) made_.push_back(start(std::launch::async));
}

std::shared_ptr<const FreshRound> FreshRounds::next() {
  if (made_.empty()) return start(std::launch::deferred).get();
  auto first = std::move(made_.front());
  made_.pop_front();
  auto round = first.get();
  while (made_.size() < ahead_) made_.push_back(start(std::launch::async));
  return round;
}

std::future<std::shared_ptr<const FreshRound>> FreshRounds::start(std::launch policy) {
  const std::uint64_t seed =
      case_seed(seed_, lab_, task_.name, fmt::format("{}, timed round {}", case_file_.name, started_++));
  return std::async(policy, make_round, std::cref(task_), std::cref(case_file_), seed, with_expected_);
}

}  // namespace lanewise
